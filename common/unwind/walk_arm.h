/* SPDX-License-Identifier: ISC */
/* Private to the room: steps on 32-bit arm, and the exceptions of Cortex-M. */
#ifndef KST_WALK_ARM_H
#define KST_WALK_ARM_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/walk.h"

struct function;
struct unwind_regs;

/*
 * Steps by a function's code on arm. No compiler's frame pointers lead to a
 * record at a known place. The code shows where the function has them, as
 * exception tables would.
 */
enum stage_result walk_arm(struct walk *w);

/* arm_frame() of the step's function, which has code. */
bool walk_arm_frame(
    const struct walk *w, const struct function *f, struct caller *c);

/*
 * Replaces the registers of Cortex-M, which return from an exception, by those
 * of what it has interrupted.
 */
enum stage_result walk_leave_exception(struct walk *w);

/* Whether a return address says that nobody called. */
bool walk_no_caller(const struct walk *w, uint64_t pc);

/*
 * Whether a CPU, not of Cortex-M, is at an exception's vector, and has executed
 * nothing there, or at the first instructions of its entry: what it has
 * interrupted was at *pc. Where that has its stack is not told.
 */
bool walk_arm_vector(
    const struct walk *w, const struct unwind_regs *regs, uint64_t *pc);

/* stage_vector() of arm: each mode has its own sp and lr. */
enum stage_result walk_arm_exception(struct walk *w);

/* Whether a CPU of Cortex-M is at the first instruction of a handler. */
bool walk_at_handler(const struct walk *w, const struct unwind_regs *regs);

#endif
