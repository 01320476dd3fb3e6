#!/usr/bin/env bash
# SPDX-License-Identifier: ISC
# kst-count against QEMU with -icount alone: the tests' guest boots, works for a
# time of its own clock, and powers off.
#
#	B=build bash tests/bench/count.sh	PAIRS=9
set -eu
# shellcheck source=tests/bench/lib.bash
. "$(dirname "$0")/lib.bash"

elf=$B/guest/boot.elf
[ -f "$elf" ] || {
	echo "no $elf: make guest"
	exit 1
}
qemu="qemu-system-x86_64 -display none -serial none -monitor none -no-reboot -kernel $elf"
icount="-icount shift=0,sleep=off -rtc base=2020-01-01,clock=vm -accel tcg,thread=single"

pair 2.20 'kst-count, a boot' "$B/kst-count -o /dev/null --force -- $qemu" "$qemu $icount" 'QEMU with icount'
pair - 'kst-count --coverage' "$B/kst-count -e $elf -o /dev/null --force --coverage $dir/lcov -- $qemu" "$qemu $icount" 'QEMU with icount'
