/* SPDX-License-Identifier: ISC */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/slots.h"
#include "base/xalloc.h"

enum { FIRST_NODES = 128 };

void
tree_init(struct tree *t)
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
tree_done(struct tree *t)
{
	free(t->nodes);
	free(t->sums);
	free(t->recent);
	free(t->follow);
	slots_done(&t->edges);
	memset(t, 0, sizeof *t);
}

uint32_t
tree_depth(const struct tree *t)
{
	uint32_t depth = 0;

	for (uint32_t i = 1; i < t->n; i++) {
		if (t->nodes[i].depth > depth)
			depth = t->nodes[i].depth;
	}
	return depth;
}

struct edge {
	uint32_t parent, name;
};

/* Each node but the root is the item of the edge that leads to it. */
static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct node *n = &((const struct tree *)of)->nodes[id + 1];
	const struct edge *e = key;

	return n->parent == e->parent && n->name == e->name;
}

static void
grow(struct tree *t)
{
	t->cap *= 2;
	t->nodes = xreallocn(t->nodes, t->cap, sizeof *t->nodes);
	t->sums = xreallocn(t->sums, t->cap, sizeof *t->sums);
	t->recent = xreallocn(t->recent, t->cap, sizeof *t->recent);
	t->follow = xreallocn(t->follow, t->cap, sizeof *t->follow);
}

static bool
is_above(const struct tree *t, uint32_t node, uint32_t name)
{
	for (; node != TREE_ROOT; node = t->nodes[node].parent) {
		if (t->nodes[node].name == name)
			return true;
	}
	return false;
}

uint32_t
tree_find_child(struct tree *t, uint32_t parent, uint32_t name)
{
	const struct edge edge = {parent, name};
	uint64_t hash = hash_bytes(&edge, sizeof edge);
	uint32_t child = slots_find(&t->edges, hash, same, t, &edge) + 1;

	if (child == 0) {
		struct node *n;

		if (t->n == t->cap)
			grow(t);
		slots_add(&t->edges, hash);
		child = t->n++;
		n = &t->nodes[child];
		memset(n, 0, sizeof *n);
		memset(&t->sums[child], 0, sizeof *t->sums);
		memset(&t->recent[child], 0, sizeof *t->recent);
		memset(&t->follow[child], 0, sizeof *t->follow);
		n->parent = parent;
		n->name = name;
		n->depth = t->nodes[parent].depth + 1;
		n->recursive = is_above(t, parent, name);
		n->sibling = t->nodes[parent].first_child;
		t->nodes[parent].first_child = child;
	}
	t->recent[parent] = (struct recent){name, child};
	return child;
}
