/* SPDX-License-Identifier: ISC */
/* The distinct stacks that were seen, as a tree of frames, with their sums. */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stdint.h>

enum { TREE_ROOT = 0 };

/* Open because a span's end adds to the sums on the hot path. */
struct node {
	uint32_t parent, name, depth;
	bool recursive;			/* a frame above it has the same name */
	uint32_t last_name, last_child; /* the child asked for last; 0 = none */
	uint32_t first_child, sibling;	/* 0 = none; the youngest is first */
	uint64_t self, calls;
};

struct tree {
	struct node *nodes; /* moves when it grows; [TREE_ROOT] has no name */
	uint32_t n, cap;
	struct tree_slot *slots; /* private */
	uint64_t mask;
};

void tree_init(struct tree *t);
void tree_done(struct tree *t);

/* Slow part of tree_child(). */
uint32_t tree_find_child(struct tree *t, uint32_t parent, uint32_t name);

/* The child of that name, made when it is not there. */
static inline uint32_t
tree_child(struct tree *t, uint32_t parent, uint32_t name)
{
	const struct node *n = &t->nodes[parent];

	if (n->last_child && n->last_name == name)
		return n->last_child;
	return tree_find_child(t, parent, name);
}

#endif
