/* SPDX-License-Identifier: ISC */
/* The distinct stacks as a tree of frames, with their sums. */
#ifndef KST_TREE_H
#define KST_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "set/slots.h"

enum { TREE_ROOT = 0 };

struct span_node {
	uint32_t parent, name;
	uint64_t self, calls;
};

/*
 * A node's parent has a lower number. Nodes move when the tree grows;
 * [TREE_ROOT] stands for none.
 */
struct span_tree {
	struct span_node *nodes;
	uint32_t n;
	size_t cap;	    /* private */
	struct slots edges; /* private: node i + 1, by parent and name */
};

void tree_init(struct span_tree *t);
void tree_done(struct span_tree *t);

/* The child of that name, which is made if it does not exist. */
uint32_t tree_child(struct span_tree *t, uint32_t parent, uint32_t name);

#endif
