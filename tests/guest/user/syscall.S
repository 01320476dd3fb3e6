/* SPDX-License-Identifier: ISC */
/* The way into the kernel and back to a process, maybe another one. */
	.text
	.macro save reg
	pushq %\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \reg, 0
	.endm

	.globl syscall_entry
	.type syscall_entry, @function
syscall_entry:
	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_def_cfa rsp, 40		/* rip, cs, rflags, rsp, ss */
	.cfi_offset rip, -40
	.cfi_offset rsp, -16
	save rbp
	save rax
	save rcx
	save rdx
	save rbx
	save rsi
	save rdi
	save r8
	save r9
	save r10
	save r11
	save r12
	save r13
	save r14
	save r15
	movq %rsp, %rdi
	cld
	call syscall
	ud2				/* it goes back by user_enter */
	.cfi_endproc
	.size syscall_entry, . - syscall_entry

/* Runs the process whose saved state rdi points to. */
	.globl user_enter
	.type user_enter, @function
user_enter:
	.cfi_startproc
	.cfi_undefined rip
	movq %rdi, %rsp
	popq %r15
	popq %r14
	popq %r13
	popq %r12
	popq %r11
	popq %r10
	popq %r9
	popq %r8
	popq %rdi
	popq %rsi
	popq %rbx
	popq %rdx
	popq %rcx
	popq %rax
	popq %rbp
	iretq
	.cfi_endproc
	.size user_enter, . - user_enter

	.section .rodata
	.globl shell_elf, counter_elf
	.balign 16
shell_elf:
	.incbin SHELL_ELF
	.balign 16
counter_elf:
	.incbin COUNTER_ELF
	.section .note.GNU-stack, "", @progbits
