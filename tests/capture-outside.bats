#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# needs: guest tools units
# Memory from QEMU's process is what the stub says it is; where there is none, the stub
# reads.

. "$BATS_TEST_DIRNAME/guest.bash"

setup() {
	D=$BATS_TEST_TMPDIR
	PATH="$B:$PATH"
}

teardown() {
	[ -z "${between:-}" ] || kill "$between" 2>/dev/null || true
	end_guest
}

@test "random addresses have the same bytes from outside and by the stub" {
	boot user -s 2
	timeout 60 "$B/unit/capture_outside" "$gdb" "$ELF" 10000 >"$D/judged"
	cat "$D/judged"
	[[ $(cat "$D/judged") = *' unknown 0 differ 0' ]]
	[ "$("$B/tools/qmp" "$qmp" status)" = running ]
}

@test "what only passes a connection on has no guest's memory: the stub reads" {
	boot fp -s 2
	python3 "$BATS_TEST_DIRNAME/cut.py" "$D/cut" "$gdb" 100 1000000000 3>&- &
	between=$!
	until [ -S "$D/cut" ]; do sleep 0.1; done
	for way in "$D/cut" "$gdb" "qmp:$qmp"; do
		timeout 60 kst-capture -v -r "$way" -e "$ELF" -n 20 >"$D/out" 2>"$D/err"
		grep -q 'failed=0' "$D/out"
		grep -q 'truncated=0' "$D/out"
		grep 'memory is read' "$D/err"
	done >"$D/ways"
	cat "$D/ways"
	printf 'kst-capture: memory is read %s\n' "by the guest's stub or monitor" \
		"from QEMU's process" "from QEMU's process" | cmp - "$D/ways"
}
