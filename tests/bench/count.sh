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

# An event in each twelve instructions: two calls in one.
riscv64-linux-gnu-gcc -nostdlib -static -Wl,-Ttext=0x80000000 -o "$dir/calls" -x assembler - <<'END'
	.globl _start
_start:	li sp, 0x80100000
1:	call f
	j 1b
	.type f, @function
f:	addi sp, sp, -16
	sd ra, 8(sp)
	call g
	call g
	ld ra, 8(sp)
	addi sp, sp, 16
	ret
	.size f, . - f
	.type g, @function
g:	.rept 30
	addi a0, a0, 1
	.endr
	ret
	.size g, . - g
END
count="$B/kst-count -n 8e7 -e $dir/calls -o /dev/null --force"
qemu="qemu-system-riscv64 -M virt -bios none -display none -serial none -monitor none -kernel $dir/calls"
pair - 'kst-count --trace' "$count --trace --last 1e9 -- $qemu" "$count -- $qemu" 'kst-count'
