/* SPDX-License-Identifier: ISC */
/*
 * Threads: turn() saves what must be kept on the stack, and changes the stack.
 */
#ifndef TURN_H
#define TURN_H

#ifdef __i386__
__asm__(".text\n.type turn, @function\nturn:\n"
	"	mov 4(%esp), %eax\n	mov 8(%esp), %edx\n"
	"	push %ebp\n	push %ebx\n	push %esi\n	push %edi\n"
	"	mov %esp, (%eax)\n	mov %edx, %esp\n"
	"	pop %edi\n	pop %esi\n	pop %ebx\n	pop %ebp\n	ret\n"
	".size turn, . - turn\n");
enum { SAVED = 4, AT = 4 }; /* words; which is the address to return to */
#elif defined __aarch64__
__asm__(".text\n.type turn, %function\nturn:\n"
	"	stp x29, x30, [sp, #-96]!\n	stp x19, x20, [sp, #16]\n"
	"	stp x21, x22, [sp, #32]\n	stp x23, x24, [sp, #48]\n"
	"	stp x25, x26, [sp, #64]\n	stp x27, x28, [sp, #80]\n"
	"	mov x9, sp\n	str x9, [x0]\n	mov sp, x1\n"
	"	ldp x19, x20, [sp, #16]\n	ldp x21, x22, [sp, #32]\n"
	"	ldp x23, x24, [sp, #48]\n	ldp x25, x26, [sp, #64]\n"
	"	ldp x27, x28, [sp, #80]\n	ldp x29, x30, [sp], #96\n	ret\n"
	".size turn, . - turn\n");
enum { SAVED = 12, AT = 1 };
#else
__asm__(".text\n.type turn, %function\nturn:\n"
	"	addi sp, sp, -112\n	sd ra, 0(sp)\n"
	"	sd s0, 8(sp)\n	sd s1, 16(sp)\n	sd s2, 24(sp)\n"
	"	sd s3, 32(sp)\n	sd s4, 40(sp)\n	sd s5, 48(sp)\n"
	"	sd s6, 56(sp)\n	sd s7, 64(sp)\n	sd s8, 72(sp)\n"
	"	sd s9, 80(sp)\n	sd s10, 88(sp)\n	sd s11, 96(sp)\n"
	"	sd sp, 0(a0)\n	mv sp, a1\n	ld ra, 0(sp)\n"
	"	ld s0, 8(sp)\n	ld s1, 16(sp)\n	ld s2, 24(sp)\n"
	"	ld s3, 32(sp)\n	ld s4, 40(sp)\n	ld s5, 48(sp)\n"
	"	ld s6, 56(sp)\n	ld s7, 64(sp)\n	ld s8, 72(sp)\n"
	"	ld s9, 80(sp)\n	ld s10, 88(sp)\n	ld s11, 96(sp)\n"
	"	addi sp, sp, 112\n	ret\n"
	".size turn, . - turn\n");
enum { SAVED = 14, AT = 0 };
#endif
void turn(void **keep, void *to);

#endif
