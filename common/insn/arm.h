/* SPDX-License-Identifier: ISC */
/* Private to common/unwind: the stack frame of 32-bit Arm code, Arm's or
 * Thumb's, read from the code itself. */
#ifndef KST_ARM_H
#define KST_ARM_H

#include "cfi/caller.h"

/*
 * The caller at place `at` of the n bytes of a function's code, by what it has
 * done to the stack pointer, as if no branch were taken but those around a
 * return. Code that stores what an exception has interrupted (srs) is its
 * entry. A return address that nothing has kept is CALLER_LOST. Returns false
 * when no register leads to the caller's stack.
 */
bool arm_frame(
    const uint8_t *code, size_t n, size_t at, bool thumb, struct caller *c);

/* Whether a return address follows these 4 bytes. */
bool arm_is_call(const uint8_t *p, bool thumb);

/* Whether these 4 bytes before ra are a direct call of `to`. */
bool arm_calls(const uint8_t *p, bool thumb, uint64_t ra, uint64_t to);

/* Whether it is EXC_RETURN, by which Cortex-M leaves an exception. */
static inline bool
arm_exc_return(uint64_t pc)
{
	return pc >> 8 == 0xffffff && (pc & 2) == 0;
}

#endif
