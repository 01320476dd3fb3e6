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

/*
 * The same where the function's start is not known, by the ways that lead from
 * place `at` to a return: at most `max` different callers, the one first to
 * which the code goes on without a branch. Calls that do not return lead to
 * callers that are none.
 */
size_t x86_leave(
    const uint8_t *code, size_t n, size_t at, struct caller *c, size_t max);

/* code_jump() of x86_64. */
enum jump x86_jump(const uint8_t *code, size_t n, size_t *at, int64_t *to);

#endif
