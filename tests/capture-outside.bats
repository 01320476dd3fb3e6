#!/usr/bin/env bats
# SPDX-License-Identifier: ISC
# slow
# needs: guest tiny tools units
# Memory from QEMU's process is what the stub says it is; where there is none, the stub
# reads. And what sampling takes of the guest's time.

. "$BATS_TEST_DIRNAME/guest.bash"

setup() {
	D=$BATS_TEST_TMPDIR
	PATH="$B:$PATH"
}

teardown() {
	[ -z "${between:-}" ] || kill $between 2>/dev/null || true
	end_guest
}

@test "random addresses have the same bytes from outside and by the stub" {
	boot user -s 2
	timeout 60 "$B/unit/capture_outside" "$gdb" "$ELF" 10000 >"$D/judged"
	cat "$D/judged"
	[[ $(cat "$D/judged") = *' unknown 0 differ 0' ]]
	[ "$("$B/tools/qmp" "$qmp" status)" = running ]
}

@test "page tables of riscv, of two to five levels, are walked as the stub does" {
	for elf in riscv32-paged2 riscv64-paged3 riscv64-paged4 riscv64-paged5; do
		"qemu-system-${elf%-*}" -M virt -m 32 -bios none -display none \
			-nodefaults -kernel "$B/guest/$elf.elf" \
			-chardev "socket,path=$D/gdb,server=on,wait=off,id=g" \
			-gdb chardev:g >"$D/out" 2>&1 3>&- &
		qemu=$!
		ELF=$B/guest/$elf.elf shows spin "$D/gdb"
		timeout 60 "$B/unit/capture_outside" "$D/gdb" "$B/guest/$elf.elf" \
			3000 >"$D/judged"
		cat "$D/judged"
		[[ $(cat "$D/judged") = *' more 0 unknown 0 differ 0' ]]
		end_guest
		wait
		rm -f "$D/gdb"
	done
}

@test "what only passes a connection on has no guest's memory: stub or monitor reads" {
	boot fp -s 2
	python3 "$BATS_TEST_DIRNAME/cut.py" "$D/cut" "$gdb" 100 1000000000 3>&- &
	between=$!
	python3 "$BATS_TEST_DIRNAME/cut.py" "$D/cut2" "$qmp" 100 1000000000 3>&- &
	between="$between $!"
	until [ -S "$D/cut" ] && [ -S "$D/cut2" ]; do sleep 0.1; done
	for way in "$D/cut" "qmp:$D/cut2" "qmp:$D/cut2 --shared-dir $D" "$gdb" "qmp:$qmp"; do
		# shellcheck disable=SC2086
		timeout 60 kst-capture -v -r $way -e "$ELF" -n 20 >"$D/out" 2>"$D/err"
		grep -q 'failed=0' "$D/out"
		grep -q 'truncated=0' "$D/out"
		grep -q 'in cpu_entry ()' "$D/out"
		sed -n 's/.*memory is read //p' "$D/err"
	done >"$D/ways"
	cat "$D/ways"
	printf "%s\n" "by the guest's stub or monitor" "by the guest's stub or monitor" \
		"by the guest's stub or monitor" "from QEMU's process" \
		"from QEMU's process" | cmp - "$D/ways"
}

# A guest's time is kept by fewer samples, unless a rate is asked for.
@test "stops take a bounded share of the guest's time" {
	boot fp -s 2
	kst-capture -r "$gdb" -e "$ELF" -n 12 --max-stop 0.1% >"$D/out" 2>"$D/err"
	grep -E '^kst-capture: [0-9]+ Hz of 99, to stop the guest for at most 0.1 % ' "$D/err"
	tail -n 1 "$D/out" | grep ' limited=[1-9]'
	# a stop is paid before the next one, by a second at most; another one is saved
	sed -n 's/^.kst-capture seq=[0-9]* time=\([0-9.]*\) stop-ns=\([0-9]*\).*/\1 \2/p' "$D/out" |
		awk 'NR == 1 { first = $1 }
			{ paid += last < 1e6 ? last : 1e6; last = $2; time = $1 - first }
			END { print paid, time
				exit !(NR == 12 && paid < 1.25e6 * (time + 1)) }'
	# the picture says so, too
	kst-fold "$D/out" | kst-svg | grep -E ' at [0-9.]+ Hz of 99 to stay below 0.1%'
	kst-capture -r "$gdb" -e "$ELF" -n 9 -F 9 >"$D/out" 2>"$D/err"
	tail -n 1 "$D/out" | grep ' limited=0 '
	[ "$(grep -c max-stop "$D/out")" = 0 ]
	# a rate by hand is kept, with a word on what it takes
	kst-capture -r "$gdb" -e "$ELF" -F 3000 -d 1 >"$D/out" 2>"$D/err"
	tail -n 1 "$D/out" | grep ' limited=0 '
	grep -q "^kst-capture: that rate takes more than 3 % of the guest's time; --max-stop " "$D/err"
	for bad in 0 -1 101 x 3x; do
		run kst-capture --max-stop "$bad"
		[ "$status" = 2 ]
	done
}

# The guest's real-time clock, which QEMU keeps with the guest's time here, judges; it
# is read from outside, so its seconds are 5 ms off on a busy machine. Whoever else uses
# the processors can keep QEMU from a stop that was asked for: there are three tries.
@test "the stops that are told are what the guest's clock has lost" {
	local try way
	printf '#!/bin/sh\nexec qemu-system-x86_64 -rtc clock=vm "$@"\n' >"$D/qemu"
	chmod +x "$D/qemu"
	QEMU="$D/qemu" boot fp -s 2
	for way in "$gdb" "qmp:$qmp"; do
		for try in 1 2 3; do
			timeout 200 python3 "$BATS_TEST_DIRNAME/lost.py" "$qmp.2" \
				kst-capture -q -r "$way" -e "$ELF" -F 99 -d 5 >"$D/lost"
			cat "$D/lost"
			! awk '$2 > 1.15 * $1 + .02 || $2 < .85 * $1 - .02 || $4 != "timer" { exit 1 }' \
				"$D/lost" || break
			[ $try != 3 ]
		done
	done
}
