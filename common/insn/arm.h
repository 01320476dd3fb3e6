/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: finds the stack frame of 32-bit Arm code, Arm or
 * Thumb, by reading the code.
 */
#ifndef KST_ARM_H
#define KST_ARM_H

#include "cfi/caller.h"

/* A function's code: n bytes, which are at `start` in memory. */
struct arm_code {
	const uint8_t *p;
	size_t n;
	bool thumb;
	uint32_t start;
	uint32_t tracer; /* __gnu_mcount_nc; 0: there is none */
};

/*
 * The caller at place `at` of a function, by what its code has done to the
 * stack pointer. The code is read as if no branch were taken, except those
 * around a return. The tracer takes the word away that is pushed for it. Code
 * that stores what an exception has interrupted (srs) is an exception's entry.
 * If nothing has kept the return address, the caller is CALLER_LOST. Returns
 * false when no register leads to the caller's stack.
 */
bool arm_frame(const struct arm_code *code, size_t at, struct caller *c);

/* Whether a value is EXC_RETURN, by which Cortex-M leaves an exception. */
static inline bool
arm_exc_return(uint64_t pc)
{
	return pc >> 8 == 0xffffff && (pc & 2) == 0;
}

#endif
