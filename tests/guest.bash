# SPDX-License-Identifier: ISC
# For bats files that need the test guest; to be sourced.

root=$BATS_TEST_DIRNAME/..

# boot ELF [OPTIONS of tests/guest/run]: boots $ELF, $B/guest/ELF.elf. $gdb, $qmp
# and $qmp.2 are its sockets, $qemu its process; end_guest ends it.
boot() {
	ELF=$B/guest/$1.elf
	shift
	gdb=$BATS_TEST_TMPDIR/gdb qmp=$BATS_TEST_TMPDIR/qmp
	qemu=$("$root/tests/guest/run" -t 300 -g "$gdb" -q "$qmp" \
		-q "$qmp.2" "$@" "$ELF" 3>&-)
}

end_guest() {
	[ -z "${qemu:-}" ] || {
		kill -CONT "$qemu" 2>/dev/null
		kill "$qemu" 2>/dev/null
	} || true
	qemu=
}

# guest_is STATUS [SECONDS]: whether the guest is so, now or within that time.
guest_is() {
	local s i
	for ((i = 0; i < ${2:-60} * 20; i++)); do
		s=$("$B/tools/qmp" "$qmp" status)
		[ "$s" != "$1" ] || return 0
		sleep 0.05
	done
	echo "the guest is $s, not $1"
	return 1
}

# shows FUNCTION [REMOTE]: until the guest, with the kernel $ELF, is in it.
shows() {
	local i
	for ((i = 0; i < 1200; i++)); do
		! kst-capture -q --one-shot -r "${2:-qmp:$qmp}" -e "$ELF" 2>/dev/null |
			grep -q "in $1 ()" || return 0
		sleep 0.05
	done
	echo "the guest is not in $1"
	return 1
}

# until_grows FILE [CAPTURES]: waits until $pid has written captures to the file.
until_grows() {
	local i
	for ((i = 0; i < 600; i++)); do
		[ "$(grep -c '^\[kst-capture seq' "$1" 2>/dev/null)" -ge "${2:-3}" ] 2>/dev/null && return 0
		kill -0 "$pid" 2>/dev/null || break
		sleep 0.1
	done
	echo "no capture in $1"
	return 1
}

# blocked PID: waits until it sleeps for good, as for a QEMU that is stopped.
blocked() {
	local i before
	for ((i = 0; i < 600; i++)); do
		before=$(grep -E '^(State|voluntary)' "/proc/$1/status")
		sleep 0.3
		[[ $before = *'S (sleeping)'* ]] || continue
		[ "$(grep -E '^(State|voluntary)' "/proc/$1/status")" != "$before" ] ||
			return 0
	done
	return 1
}

# Since 8.1 QEMU's stub does not tell whether a monitor had stopped the guest.
tells_paused() {
	local v
	v=$(qemu-system-x86_64 --version | sed -n '1s/.*version \([0-9]*\)\.\([0-9]*\).*/\1 \2/p')
	set -- $v
	[ "$1" -lt 8 ] || { [ "$1" = 8 ] && [ "$2" -lt 1 ]; }
}
