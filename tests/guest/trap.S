/* SPDX-License-Identifier: ISC */
/*
 * Interrupt entries. Both ways down the stack lead to the interrupted
 * function: CFI marked as a signal frame, and a frame pointer pushed at once,
 * on top of the rip that the CPU pushed.
 */
#include "cpu.h"

	.text
#ifdef CFI_DEBUG_FRAME
	.cfi_sections .debug_frame
#endif

	.macro save reg
	pushq %\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset \reg, 0
	.endm

	.macro restore reg
	popq %\reg
	.cfi_adjust_cfa_offset -8
	.cfi_restore \reg
	.endm

	.globl timer_entry
	.type timer_entry, @function
timer_entry:
	.cfi_startproc simple
	.cfi_signal_frame
	.cfi_def_cfa rsp, 40		/* rip, cs, rflags, rsp, ss */
	.cfi_offset rip, -40
	.cfi_offset rsp, -16
	save rbp
	movq %rsp, %rbp
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
	subq $8, %rsp			/* keeps 16-byte alignment */
	.cfi_adjust_cfa_offset 8
	cld
	call timer_irq
	addq $8, %rsp
	.cfi_adjust_cfa_offset -8
	restore r11
	restore r10
	restore r9
	restore r8
	restore rdi
	restore rsi
	restore rbx
	restore rdx
	restore rcx
	restore rax
	restore rbp
	iretq
	.cfi_endproc
	.size timer_entry, . - timer_entry

	.globl spurious_entry
	.type spurious_entry, @function
spurious_entry:
	iretq
	.size spurious_entry, . - spurious_entry

/* One entry for every exception: none is expected, so nothing is saved. */
	.globl fault_entry
	.type fault_entry, @function
fault_entry:
	cld
	andq $-16, %rsp
	call fault
	.size fault_entry, . - fault_entry
