/* SPDX-License-Identifier: ISC */
/* The distinct stacks as a tree of frames, with their sums. */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "set/slots.h"

enum { TREE_ROOT = 0 };

struct span_node {
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

/* A span that probably begins next: its name and node, 0 if none is known. */
struct recent {
	uint32_t name, child;
};

/*
 * By node number; [TREE_ROOT] stands for none. Separate arrays, and open,
 * because with many stacks the processor's cache decides. They move when the
 * tree grows.
 */
struct span_tree {
	struct span_node *nodes;
	struct sum *sums;
	struct recent *recent; /* what began last as its first child */
	struct recent *follow; /* what began last after this node */
	uint32_t n, cap;
	/* private: the children of those who have many */
	struct slots edges;
	uint32_t *edge_child;
	size_t edges_cap;
};

void tree_init(struct span_tree *t);
void tree_done(struct span_tree *t);

/* The longest path from the root, in nodes. */
uint32_t tree_depth(const struct span_tree *t);

/* The child of that name, made if there is none. */
uint32_t tree_child(struct span_tree *t, uint32_t parent, uint32_t name);

#endif
