/* SPDX-License-Identifier: ISC */
/*
 * The beginning of a guest of one CPU and one stack: start calls top.
 */
#ifndef START_H
#define START_H

#define FRAME __attribute__((noipa))

unsigned char stack[16384] __attribute__((aligned(16)));

void top(void);
void start(void);

/* Its CFI says that nobody called it; its frame pointer is 0. */
#ifdef __aarch64__
__asm__(".section .text.unlikely, \"ax\"\n"
	".global start\n"
	".type start, %function\n"
	"start:\n"
	".cfi_startproc\n"
	".cfi_undefined x30\n"
	"	mov x29, #0\n"
	"	mov x30, #0\n"
	"	ldr x0, =stack + 16384\n"
	"	mov sp, x0\n"
	"	bl top\n"
	"1:	b 1b\n"
	".cfi_endproc\n"
	".size start, . - start\n"
	".text\n");
#elif defined __arm__
__asm__(".section .text.unlikely, \"ax\"\n"
	".global start\n"
	".type start, %function\n"
	"start:\n"
	".cfi_startproc\n"
	".cfi_undefined lr\n"
	"	mov r11, #0\n"
	"	mov lr, #0\n"
	"	ldr sp, =stack + 16384\n"
	"	bl top\n"
	"1:	b 1b\n"
	".cfi_endproc\n"
	".size start, . - start\n"
	".text\n");
#elif defined __i386__
__asm__(".section .text.unlikely, \"ax\"\n"
	".balign 4\n"
	".long 0x1badb002, 0, -0x1badb002\n" /* multiboot */
	".global start\n"
	".type start, @function\n"
	"start:\n"
	".cfi_startproc\n"
	".cfi_undefined eip\n"
	"	xor %ebp, %ebp\n"
	"	mov $stack + 16384, %esp\n"
	"	call top\n"
	"1:	jmp 1b\n"
	".cfi_endproc\n"
	".size start, . - start\n"
	".text\n");
#elif defined __loongarch__
__asm__(".section .text.unlikely, \"ax\"\n"
	".global start\n"
	".type start, @function\n"
	"start:\n"
	".cfi_startproc\n"
	".cfi_undefined 1\n"
	"	move $fp, $zero\n"
	"	move $ra, $zero\n"
	"	la.local $sp, stack + 16384\n"
	"	bl top\n"
	"1:	b 1b\n"
	".cfi_endproc\n"
	".size start, . - start\n"
	".text\n");
#else
__asm__(".section .text.unlikely, \"ax\"\n"
	".global start\n"
	".type start, %function\n"
	"start:\n"
	".cfi_startproc\n"
	".cfi_undefined ra\n"
	"	li s0, 0\n"
	"	li ra, 0\n"
#ifdef PAIR
	"	bnez a0, second_start\n" /* QEMU has put the CPU there */
#endif
	"	la sp, stack + 16384\n"
	"	call top\n"
	"1:	j 1b\n"
	".cfi_endproc\n"
	".size start, . - start\n"
	".text\n");
#endif

#endif
