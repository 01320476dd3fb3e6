/* SPDX-License-Identifier: ISC */
/*
 * The tree of frames that the picture shows. Node 0 is the root, which stands
 * for all stacks; nodes are in preorder, so that a node's subtree is the
 * range [node, end).
 *
 * The fields are open: layout and drawing are loops over the arrays.
 */
#ifndef TREE_H
#define TREE_H

#include <stddef.h>
#include <stdint.h>

#include "weight.h"

struct intern;

struct node {
	uint32_t name;	/* number in `names` */
	uint32_t depth; /* root: 0 */
	uint32_t end;	/* the node after the last one of the subtree */
	weight at;	/* where it began: in a chart, the counts before it */
	weight total[2], self[2];
};

struct tree {
	struct node *nodes;
	uint32_t n;
	uint32_t depth_max;
	struct intern *names; /* of the frames, as read */
};

void tree_free(struct tree *t);

/* Moves each node i to to[i], in place; `to` is used up. */
void tree_move(struct tree *t, uint32_t *to);

/* Puts the siblings into the bytewise order of their names. */
void tree_sort(struct tree *t);

#endif
