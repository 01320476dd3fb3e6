/* SPDX-License-Identifier: ISC */
/*
 * From the state in which QEMU (PVH) or a start-up message leaves a CPU to
 * 64-bit C on a stack of its own. Everything in .boot runs at its physical
 * address; cpu_entry is the root of every stack.
 */
#include "cpu.h"

	.section .note.pvh, "a", @note
	.balign 4
	.long 4, 8, 18			/* sizes, XEN_ELFNOTE_PHYS32_ENTRY */
	.asciz "Xen"
	.quad pvh_start

	.section .boot, "awx", @progbits

/* Copied to AP_PAGE; real mode, cs = AP_PAGE / 16. */
	.code16
	.globl ap_start, ap_end
ap_start:
	cli
	xorw %ax, %ax
	movw %ax, %ds
	lgdtl AP_PAGE + ap_gdtr - ap_start
	movl %cr0, %eax
	orl $1, %eax
	movl %eax, %cr0
	ljmpl $0x18, $enter_long
ap_gdtr:
	.word gdt_end - gdt - 1
	.long gdt
ap_end:

	.code32
	.globl pvh_start
pvh_start:
	cli
	lgdt gdtr
	ljmp $0x18, $enter_long

enter_long:
	movl $0x10, %eax
	movl %eax, %ds
	movl %eax, %es
	movl %eax, %ss
	movl %cr4, %eax
	orl $0x20, %eax			/* PAE */
	movl %eax, %cr4
	movl $pml4, %eax
	movl %eax, %cr3
	movl $0xc0000080, %ecx		/* EFER */
	rdmsr
	orl $0x100, %eax		/* LME */
	wrmsr
	movl %cr0, %eax
	orl $0x80010001, %eax		/* PG, WP, PE */
	movl %eax, %cr0
	ljmp $0x08, $enter_kernel

	.code64
enter_kernel:
	movl $1, %eax
	cpuid
	shrl $24, %ebx			/* the initial APIC id */
	movl %ebx, %edi
	cmpl $MAX_CPUS, %ebx
	jae 1f
	incl %ebx
	imulq $STACK_SIZE, %rbx, %rbx
	leaq cpu_stacks(%rbx), %rsp
	xorl %ebp, %ebp
	movq $cpu_entry, %rax
	jmp *%rax
1:	hlt
	jmp 1b

	.balign 8
gdt:	.quad 0
	.quad 0x00af9b000000ffff	/* 0x08 64-bit code */
	.quad 0x00cf93000000ffff	/* 0x10 data */
	.quad 0x00cf9b000000ffff	/* 0x18 32-bit code */
gdt_end:
gdtr:	.word gdt_end - gdt - 1
	.long gdt

/* The first GiB at 0 and at the kernel's base, the GiB of devices below 4 GiB
 * at its place and at the very top. */
	.balign 4096
	.globl pml4
pml4:	.quad pdpt_low + 3
	.fill 510, 8, 0
	.quad pdpt_high + 3
pdpt_low:
	.quad pd_ram + 3, 0, 0, pd_dev + 3
	.fill 508, 8, 0
pdpt_high:
	.fill 510, 8, 0
	.quad pd_ram + 3, pd_dev + 3
	.set i, 0
pd_ram:	.rept 512
	.quad i * 0x200000 + 0x83
	.set i, i + 1
	.endr
	.set i, 0
pd_dev:	.rept 512
	.quad 0xc0000000 + i * 0x200000 + 0x93
	.set i, i + 1
	.endr

	.text
#ifdef CFI_DEBUG_FRAME
	.cfi_sections .debug_frame
#endif
/* A saved frame pointer of 0 ends a walk by frame pointers, the undefined rip
 * one by CFI. */
	.globl cpu_entry
	.type cpu_entry, @function
cpu_entry:
	.cfi_startproc
	.cfi_undefined rip
	pushq %rbp
	.cfi_adjust_cfa_offset 8
	movq %rsp, %rbp
	xorl %ebp, %ebp
	call cpu_main
1:	hlt
	jmp 1b
	.cfi_endproc
	.size cpu_entry, . - cpu_entry

	.bss
	.balign 4096
	.globl cpu_stacks
cpu_stacks:
	.fill MAX_CPUS * STACK_SIZE
