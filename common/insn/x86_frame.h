/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: finds the stack frame of x86 code by reading the
 * code.
 */
#ifndef KST_X86_FRAME_H
#define KST_X86_FRAME_H

#include "cfi/caller.h"
#include "insn/insn.h"

/* The longest function that is followed. */
enum { X86_FRAME_CODE = 64 << 10 };

/*
 * For x86_64 without tables and frame pointer: the caller at place `at` of the
 * n bytes from a function's start, by following all branches from there.
 * Returns false when no branch leads to the place, or two of them do in
 * different states.
 */
bool x86_frame(const uint8_t *code, size_t n, size_t at, struct caller *c);

/* code_jump() of x86_64. */
enum jump x86_jump(const uint8_t *code, size_t n, size_t *at, int64_t *to);

/*
 * Whether a CPU starts in the function: before place `at` the function sets the
 * stack pointer to an address that it names, and has pushed nothing. A function
 * that returns from an interrupt does not count, as it may have a stack of its
 * own.
 */
bool x86_starts(const uint8_t *code, size_t n, size_t at);

/*
 * Whether a function has its frame record after `before` bytes of its code, of
 * which n are at p. *pushed: it has at least the record's first half, the frame
 * pointer.
 */
bool x86_record(
    const uint8_t *p, size_t n, size_t before, unsigned word, bool *pushed);

/* Whether these bytes may end with a call; calls have 2 to 7 bytes. */
enum { X86_CALL = 7 };
bool x86_after_call(const uint8_t code[X86_CALL]);

#endif
