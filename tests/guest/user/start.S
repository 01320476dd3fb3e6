/* SPDX-License-Identifier: ISC */
/* The root of a process's stack; rdi holds the TSC ticks of a millisecond. */
	.text
	.globl _start
	.type _start, @function
_start:
	.cfi_startproc
	.cfi_undefined rip
	xorl %ebp, %ebp
	call user_main
1:	jmp 1b
	.cfi_endproc
	.size _start, . - _start
	.section .note.GNU-stack, "", @progbits
