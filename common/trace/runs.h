/* SPDX-License-Identifier: ISC */
/*
 * Frames that follow a stack's first as one,
 * if they came before.
 */
#ifndef KST_RUNS_H
#define KST_RUNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/stacks.h"

/*
 * From now on the frames after a stack's first may come as one RUN. In real
 * captures most of them came before, byte by byte, including return addresses.
 * One comparison of some kilobytes then replaces reading each frame; where that
 * rarely works, it is not tried. It is for consumers that make the same of the
 * same frames. Only these bits of the value that they keep for the first frame
 * may make a difference.
 */
void stacks_keep_runs(struct stacks *s, uint32_t leaf_bits);

/*
 * At an END, if stacks_wants_run(): keeps what the consumer has made of all
 * frames but the first, for a RUN.
 */
static inline bool
stacks_wants_run(const struct stacks *s)
{
	return s->run_len > 0;
}
void stacks_learn_run(struct stacks *s, const void *result, size_t len);

/*
 * For stacks.c, after a stack's first frame: finds the frames that follow, so
 * that runs_take() comes next. Else notes where they begin, and that they end
 * before the line in s->t.
 */
void runs_find(struct stacks *s);
enum stacks_event runs_take(struct stacks *s);
void runs_end(struct stacks *s);

#endif
