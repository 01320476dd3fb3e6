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

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/weight.h"

struct intern;

struct node {
	uint32_t name;	      /* number in `names` */
	uint32_t depth;	      /* root: 0 */
	uint32_t end;	      /* the node after the last one of the subtree */
	uint64_t total, self; /* first counts without their decimals */
};

/* What only some pictures need. */
struct node_more {
	weight total, self; /* second counts */
	uint64_t at_frac, total_frac, self_frac;
};

/* A frame whole. */
struct frame {
	uint32_t name, depth;
	weight at; /* where it began: in a chart, the counts before it */
	weight total[2], self[2];
};

/* A longer name is cut off, because XML readers limit one text. In bytes. */
enum { FRAME_NAME_MAX = 1 << 20 };

/* Stands for a `;` that belongs to a name while stacks are read. */
enum { FRAME_SEMICOLON = 1 };

/*
 * Exact sums by function, also of frames that are too narrow to be kept.
 */
struct sums {
	struct intern *names;
	uint32_t *numbers; /* in the tree's names, or UINT32_MAX */
	struct sum {
		weight self, total[2]; /* self: of the first count */
		bool is_open;	       /* private to sums.c */
	} * v;
	size_t cap;
	double least; /* lighter functions need not be shown */
};

/*
 * More functions than a profile has; only names with numbers in them are so
 * many.
 */
enum { SUMS_NAMES_MAX = 1 << 17 };

struct tree {
	struct node *nodes;
	uint64_t *at;		/* as in struct frame; NULL: all are 0 */
	struct node_more *more; /* NULL: all are 0 */
	uint32_t n;
	uint32_t depth_max;   /* of the frames so far, also of those dropped */
	struct intern *names; /* of the frames, as read */
	bool shares_names;    /* they belong to another tree */
	struct sums *sums; /* NULL: no frame was dropped, or too many names */
};

void tree_free(struct tree *t);

static inline weight
tree_total(const struct tree *t, uint32_t i, int k)
{
	if (k)
		return t->more ? t->more[i].total : 0;
	return t->nodes[i].total * WEIGHT_ONE +
	       (t->more ? t->more[i].total_frac : 0);
}

static inline weight
tree_self(const struct tree *t, uint32_t i, int k)
{
	if (k)
		return t->more ? t->more[i].self : 0;
	return t->nodes[i].self * WEIGHT_ONE +
	       (t->more ? t->more[i].self_frac : 0);
}

static inline weight
tree_at(const struct tree *t, uint32_t i)
{
	return (t->at ? t->at[i] * WEIGHT_ONE : 0) +
	       (t->more ? t->more[i].at_frac : 0);
}

/*
 * Puts a frame into place i of arrays with room for `cap` frames. Arrays that
 * are NULL are made when a frame needs them. Sets all fields except `end`.
 */
void tree_set(struct tree *t, size_t cap, uint32_t i, const struct frame *f);

/* Puts a frame after the last one, into arrays that grow. */
void tree_add(struct tree *t, size_t *cap, const struct frame *f);

/*
 * Numbers the names anew in the order of the nodes, and drops names that no
 * frame has; the root gets its name later. Returns the old names. If numbers is
 * not NULL, it gets the new number of each, or UINT32_MAX.
 */
struct intern *tree_sweep_names(struct tree *t, uint32_t **numbers);

/* The weight of both counts in frames that are not in the tree. */
weight tree_lost(const struct tree *t);

/*
 * Sets `end` to the number of the parent. The nodes are in postorder, except
 * the root, which is node 0.
 */
void tree_find_parents(struct tree *t);

/*
 * Puts nodes into preorder. Before that, children come before their parents,
 * except the root, node 0, and `end` is the number of the parent. Siblings get
 * the bytewise order of their names, or keep their order.
 */
void tree_arrange(struct tree *t, bool by_name);

#endif
