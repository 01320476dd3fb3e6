/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: finds the stack frame of 32-bit Arm code, Arm or
 * Thumb, by reading the code.
 */
#ifndef KST_ARM_H
#define KST_ARM_H

#include "cfi/caller.h"

/*
 * The caller at place `at` of a function whose code has n bytes, by what the
 * code has done to the stack pointer. The code is read as if no branch were
 * taken, except those around a return. Code that stores what an exception has
 * interrupted (srs) is an exception's entry. If nothing has kept the return
 * address, the caller is CALLER_LOST. Returns false when no register leads to
 * the caller's stack.
 */
bool arm_frame(
    const uint8_t *code, size_t n, size_t at, bool thumb, struct caller *c);

/* Whether a return address follows these 4 bytes. */
bool arm_is_call(const uint8_t *p, bool thumb);

/* Whether these 4 bytes before ra are a direct call: of *to. */
bool arm_called(const uint8_t *p, bool thumb, uint64_t ra, uint64_t *to);

/* Whether a value is EXC_RETURN, by which Cortex-M leaves an exception. */
static inline bool
arm_exc_return(uint64_t pc)
{
	return pc >> 8 == 0xffffff && (pc & 2) == 0;
}

#endif
