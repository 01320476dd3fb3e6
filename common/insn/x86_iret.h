/* SPDX-License-Identifier: ISC */
/* Private to common/unwind: finds out how code of i386 leaves an interrupt. */
#ifndef KST_X86_IRET_H
#define KST_X86_IRET_H

#include <stddef.h>
#include <stdint.h>

/* Relative to the stack pointer at the place. */
struct x86_iret {
	int32_t up; /* where the stack pointer is so far, at last at iret; */
	int32_t bp; /* whence ebp is restored, NO_BP: it is not */
	int32_t to; /* X86_IRET_JUMP: how far away the code goes on */
};
#define X86_IRET_NO_BP INT32_MIN

enum x86_left { X86_IRET_NONE, X86_IRET_FOUND, X86_IRET_JUMP };

/*
 * Reads from a place in the code on, as if no branch were taken and all calls
 * returned. NONE: the code does not come to iret, or sets the stack pointer to
 * an unknown value.
 */
enum x86_left x86_iret(const uint8_t *p, size_t n, struct x86_iret *s);

#endif
