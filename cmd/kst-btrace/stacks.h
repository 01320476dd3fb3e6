/* SPDX-License-Identifier: ISC */
/* Folds gathered stacks and adds up equal ones. */
#ifndef STACKS_H
#define STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct raw_stack;
struct own_frames;

enum stacks_mode {
	MODE_NONE, /* only where a stack has no frames */
	MODE_ROOT, /* `kernel` or `userland` is the root of a stack */
	MODE_MARK  /* frames of the kernel end in `_[k]` */
};

struct stacks_options {
	enum stacks_mode mode;
	bool keep_offset;
	uint64_t skip;		/* leaf frames of every kernel stack */
	struct own_frames *own; /* may be NULL */
};

struct stacks;

/* The options must outlive the struct. */
struct stacks *stacks_new(const struct stacks_options *opt);
void stacks_free(struct stacks *s);

/* Adds the stack; returns -1 if its sum exceeds 64 bits. */
int stacks_add(struct stacks *s, const struct raw_stack *raw);

/*
 * Writes folded text, sorted bytewise. With stacks of several maps, the map's
 * name is the root.
 */
void stacks_put(const struct stacks *s);

#endif
