/* SPDX-License-Identifier: ISC */
/* The distinct stacks as a tree of frames, with their sums. */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"

enum { TREE_ROOT = 0 };

struct node {
	uint32_t parent, name;
	uint32_t first_child, sibling; /* 0 = none; the youngest is first */
};

struct sum {
	uint64_t self, calls;
};

/* Returns -1 if the time does not fit and is the greatest. */
static inline int
sum_add(struct sum *s, uint64_t calls, uint64_t self)
{
	s->calls += calls;
	if (!__builtin_add_overflow(s->self, self, &s->self))
		return 0;
	s->self = UINT64_MAX;
	return -1;
}

/* A child that may be asked for next, with its name; 0: none. */
struct recent {
	uint32_t name, child;
};

/*
 * By node number; [TREE_ROOT] stands for none. Separate arrays, and open,
 * because with many stacks the processor's cache decides. They move when the
 * tree grows.
 */
struct tree {
	struct node *nodes;
	struct sum *sums;
	struct recent *recent; /* the child that was asked for last */
	struct recent *follow; /* the sibling that came after this node */
	uint32_t n, cap;
	/* private: the children of those who have many */
	struct slots edges;
	uint32_t *edge_child;
	size_t edges_cap;
};

void tree_init(struct tree *t);
void tree_done(struct tree *t);

/* The longest path from the root, in nodes. */
uint32_t tree_depth(const struct tree *t);

/* The slow part of tree_child(). */
uint32_t tree_find_child(struct tree *t, uint32_t parent, uint32_t name);

/* The child of that name, made if there is none. */
static inline uint32_t
tree_child(struct tree *t, uint32_t parent, uint32_t name)
{
	const struct recent *r = &t->recent[parent];

	if (r->child && r->name == name)
		return r->child;
	return tree_find_child(t, parent, name);
}

#endif
