/* SPDX-License-Identifier: ISC */
/* What rules do with a whole stack: frames skipped, cut and trimmed. */
#ifndef STACK_H
#define STACK_H

#include <stdbool.h>
#include <stddef.h>

struct memo_entry;

/* Frames of a stack; those beyond are written without stack rules. */
enum { STACK_MAX = 1 << 16 };

/* frames[0] is the leaf in trace text, the root in folded text. */
struct stack {
	const struct memo_entry *frames[STACK_MAX];
	size_t n;
};

/*
 * Applies the frames' flags and, if asked, takes unknown frames off the root
 * side (one stays if there are no others). Returns false if the stack is
 * dropped or nothing of it is left.
 */
bool stack_apply(struct stack *s, bool leaf_first, bool trim_unknown);

#endif
