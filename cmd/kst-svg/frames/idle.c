/* SPDX-License-Identifier: ISC */
#include "frames/idle.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "frames/tree.h"
#include "set/intern.h"

uint32_t
idle_depth(const struct tree *t)
{
	for (uint32_t i = 1; i < t->n; i = t->nodes[i].end) {
		size_t len;
		const char *name = intern_str(t->names, t->nodes[i].name, &len);

		if (!bytes_starts(name, len, "CPU#"))
			return 0;
	}
	return t->n > 1;
}

/* A tree that is copied in parts. */
struct copy {
	const struct tree *from;
	struct tree *to;
	const bool *is_idle; /* by name */
	weight *idle;	     /* of each node: what of it ends in idle ones */
	uint32_t *open;	     /* of each depth the last node of `to` */
	uint32_t n_open;
	bool *own;
	size_t cap, own_cap;
};

/* What of each node's weight ends in idle functions. */
static void
find_idle(struct copy *c)
{
	const struct tree *t = c->from;
	uint32_t *up = xcalloc((size_t)t->depth_max + 1, sizeof *up);
	uint32_t *parent = xcalloc(t->n, sizeof *parent);

	for (uint32_t i = 0; i < t->n; i++) {
		const uint32_t depth = t->nodes[i].depth;

		parent[i] = depth ? up[depth - 1] : 0;
		up[depth] = i;
	}
	for (uint32_t i = t->n; i-- > 1;) {
		if (c->is_idle[t->nodes[i].name])
			c->idle[i] += tree_self(t, i, 0);
		c->idle[parent[i]] += c->idle[i];
	}
	free(parent);
	free(up);
}

/* Ends the nodes that are not below that depth. */
static void
close_nodes(struct copy *c, uint32_t depth)
{
	while (c->n_open > depth)
		c->to->nodes[c->open[--c->n_open]].end = c->to->n;
}

static void
put(struct copy *c, const struct frame *f, bool own)
{
	close_nodes(c, f->depth);
	*xitem(c->own, c->to->n, c->own_cap) = own;
	c->open[c->n_open++] = c->to->n;
	tree_add(c->to, &c->cap, f);
}

/* A node whole, or its idle part one row higher, or the rest of it. */
enum part { WHOLE, IDLE, REST };

static void
put_node(struct copy *c, uint32_t i, enum part part)
{
	const struct tree *t = c->from;
	const struct node *n = &t->nodes[i];
	const weight self = tree_self(t, i, 0);
	struct frame f = {.name = n->name,
	    .depth = n->depth + (part == IDLE),
	    .at = tree_at(t, i),
	    .total = {tree_total(t, i, 0)},
	    .self = {self}};

	if (part != WHOLE) {
		f.total[0] =
		    part == IDLE ? c->idle[i] : f.total[0] - c->idle[i];
		f.self[0] = c->is_idle[n->name] == (part == IDLE) ? self : 0;
	}
	put(c, &f, false);
}

static void
put_part(struct copy *c, uint32_t top, enum part part)
{
	const struct tree *t = c->from;
	uint32_t i = top + 1;

	while (i < t->nodes[top].end) {
		weight all = tree_total(t, i, 0);

		if ((part == IDLE ? c->idle[i] : all - c->idle[i]) == 0) {
			i = t->nodes[i].end;
			continue;
		}
		put_node(c, i++, part);
	}
}

/* All below a node, idle stacks on a frame of their own. */
static void
put_apart(struct copy *c, uint32_t top)
{
	struct frame f = {.name = c->from->nodes[0].name,
	    .depth = c->from->nodes[top].depth + 1,
	    .at = tree_at(c->from, top),
	    .total = {c->idle[top]}};

	if (c->idle[top]) {
		put(c, &f, true);
		put_part(c, top, IDLE);
	}
	put_part(c, top, REST);
}

struct tree *
idle_apart(const struct tree *t, const bool *is_idle, double least, bool **own)
{
	struct copy c = {.from = t, .is_idle = is_idle};
	weight all = tree_total(t, 0, 0);

	c.idle = xcalloc(t->n, sizeof *c.idle);
	find_idle(&c);
	if (c.idle[0] < all && (double)c.idle[0] > least * (double)all) {
		c.to = xcalloc(1, sizeof *c.to);
		c.to->names = t->names;
		c.to->shares_names = true;
		c.open = xcalloc((size_t)t->depth_max + 2, sizeof *c.open);
		put_node(&c, 0, WHOLE);
		if (idle_depth(t) == 0)
			put_apart(&c, 0);
		else
			for (uint32_t i = 1; i < t->n; i = t->nodes[i].end) {
				put_node(&c, i, WHOLE);
				put_apart(&c, i);
			}
		close_nodes(&c, 0);
		*own = c.own;
	}
	free(c.open);
	free(c.idle);
	return c.to;
}
