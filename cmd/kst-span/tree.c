/* SPDX-License-Identifier: ISC */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "set/hash.h"
#include "set/slots.h"
#include "base/xalloc.h"

enum { FIRST_NODES = 128, FEW = 8 };

void
tree_init(struct span_tree *t)
{
	memset(t, 0, sizeof *t);
	t->cap = FIRST_NODES;
	t->nodes = xcalloc(t->cap, sizeof *t->nodes);
	t->sums = xcalloc(t->cap, sizeof *t->sums);
	t->recent = xcalloc(t->cap, sizeof *t->recent);
	t->follow = xcalloc(t->cap, sizeof *t->follow);
	t->n = 1;
	slots_init(&t->edges);
}

void
tree_done(struct span_tree *t)
{
	free(t->nodes);
	free(t->sums);
	free(t->recent);
	free(t->follow);
	slots_done(&t->edges);
	free(t->edge_child);
	memset(t, 0, sizeof *t);
}

uint32_t
tree_depth(const struct span_tree *t)
{
	uint32_t *depth = xcalloc(t->n, sizeof *depth), max = 0;

	for (uint32_t i = 1; i < t->n; i++) { /* parents come first */
		depth[i] = depth[t->nodes[i].parent] + 1;
		if (depth[i] > max)
			max = depth[i];
	}
	free(depth);
	return max;
}

struct edge {
	uint32_t parent, name;
};

/* Slot i leads to edge_child[i]. */
static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct span_tree *t = of;
	const struct span_node *n = &t->nodes[t->edge_child[id]];
	const struct edge *e = key;

	return n->parent == e->parent && n->name == e->name;
}

static uint64_t
hash_of(uint32_t parent, uint32_t name)
{
	const struct edge edge = {parent, name};

	return hash_bytes(&edge, sizeof edge);
}

static void
add_edge(struct span_tree *t, uint32_t child)
{
	const struct span_node *n = &t->nodes[child];
	uint32_t id = t->edges.n;

	slots_add(&t->edges, hash_of(n->parent, n->name));
	t->edge_child = xgrow(t->edge_child, (size_t)id + 1, &t->edges_cap,
	    sizeof *t->edge_child);
	t->edge_child[id] = child;
}

static void
grow(struct span_tree *t)
{
	t->cap *= 2;
	t->nodes = xreallocn(t->nodes, t->cap, sizeof *t->nodes);
	t->sums = xreallocn(t->sums, t->cap, sizeof *t->sums);
	t->recent = xreallocn(t->recent, t->cap, sizeof *t->recent);
	t->follow = xreallocn(t->follow, t->cap, sizeof *t->follow);
}

static uint32_t
add_child(struct span_tree *t, uint32_t parent, uint32_t name)
{
	uint32_t child = t->n;

	if (child == t->cap)
		grow(t);
	t->n++;
	memset(&t->sums[child], 0, sizeof *t->sums);
	memset(&t->recent[child], 0, sizeof *t->recent);
	memset(&t->follow[child], 0, sizeof *t->follow);
	t->nodes[child] = (struct span_node){.parent = parent,
	    .name = name,
	    .sibling = t->nodes[parent].first_child};
	t->nodes[parent].first_child = child;
	return child;
}

/*
 * The first FEW children are looked through. Where there are more, all of them
 * are found by the hash of their edge, too.
 */
uint32_t
tree_child(struct span_tree *t, uint32_t parent, uint32_t name)
{
	const struct edge edge = {parent, name};
	uint32_t child = t->nodes[parent].first_child, id;
	bool many;
	int n = 0;

	for (; child && t->nodes[child].name != name && n < FEW; n++)
		child = t->nodes[child].sibling;
	many = child && t->nodes[child].name != name;
	if (many) {
		id = slots_find(
		    &t->edges, hash_of(parent, name), same, t, &edge);
		child = id == SLOTS_NONE ? 0 : t->edge_child[id];
	}
	if (child == 0) {
		child = add_child(t, parent, name);
		if (many)
			add_edge(t, child);
		else if (n == FEW)
			for (id = child; id; id = t->nodes[id].sibling)
				add_edge(t, id);
	}
	return child;
}
