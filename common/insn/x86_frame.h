/* SPDX-License-Identifier: ISC */
/* Private to common/unwind: the stack frame of x86 code, read from the code
 * itself. */
#ifndef KST_X86_FRAME_H
#define KST_X86_FRAME_H

#include "cfi/caller.h"

/* Functions that are longer are not followed. */
enum { X86_FRAME_CODE = 64 << 10 };

/*
 * For x86_64 without tables or frame pointer: the caller at place `at` of the n
 * bytes from a function's start, by following all branches from there. Returns
 * false when none leads to the place, or two in different states.
 */
bool x86_frame(const uint8_t *code, size_t n, size_t at, struct caller *c);

/*
 * Whether the n bytes of code at `addr` jump to `to`, or to an address in a
 * register or in memory.
 */
bool x86_frame_jumps(const uint8_t *code, size_t n, uint64_t addr, uint64_t to);

/*
 * Whether the function is where a CPU starts: before place `at` it sets the
 * stack pointer to an address that it names, having pushed nothing, and it does
 * not return from an interrupt, which may have a stack of its own.
 */
bool x86_starts(const uint8_t *code, size_t n, size_t at);

/*
 * Whether a function has its frame record after `before` bytes of its code, of
 * which n are at p. *pushed: at least its first half, the frame pointer.
 */
bool x86_record(
    const uint8_t *p, size_t n, size_t before, unsigned word, bool *pushed);

/* Whether a call may end after these bytes; calls have 2 to 7. */
enum { X86_CALL = 7 };
bool x86_after_call(const uint8_t code[X86_CALL]);

#endif
