/* SPDX-License-Identifier: ISC */
/* One hash table for all edges; a node is 56 bytes and never goes away. */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/xalloc.h"

enum { FIRST_SLOTS = 1 << 8 };

struct tree_slot {
	uint64_t edge;	/* parent << 32 | name */
	uint32_t child; /* 0 = free */
};

void
tree_init(struct tree *t)
{
	memset(t, 0, sizeof *t);
	t->cap = FIRST_SLOTS / 2;
	t->nodes = xcalloc(t->cap, sizeof *t->nodes);
	t->sums = xcalloc(t->cap, sizeof *t->sums);
	t->recent = xcalloc(t->cap, sizeof *t->recent);
	t->follow = xcalloc(t->cap, sizeof *t->follow);
	t->n = 1;
	t->slots = xcalloc(FIRST_SLOTS, sizeof *t->slots);
	t->mask = FIRST_SLOTS - 1;
}

void
tree_done(struct tree *t)
{
	free(t->nodes);
	free(t->sums);
	free(t->recent);
	free(t->follow);
	free(t->slots);
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

static struct tree_slot *
slot_of(const struct tree *t, uint64_t edge)
{
	uint64_t i = edge * 0x9e3779b97f4a7c15u;

	i ^= i >> 32;
	for (i &= t->mask; t->slots[i].child; i = (i + 1) & t->mask) {
		if (t->slots[i].edge == edge)
			break;
	}
	return &t->slots[i];
}

static void
grow(struct tree *t)
{
	struct tree_slot *old = t->slots;
	uint64_t n = t->mask + 1;

	if (t->cap > UINT32_MAX / 2)
		msg_die(EXIT_FAILED, "more than 2^31 distinct stacks");
	t->cap *= 2;
	t->nodes = xreallocn(t->nodes, t->cap, sizeof *t->nodes);
	t->sums = xreallocn(t->sums, t->cap, sizeof *t->sums);
	t->recent = xreallocn(t->recent, t->cap, sizeof *t->recent);
	t->follow = xreallocn(t->follow, t->cap, sizeof *t->follow);
	t->mask = n * 2 - 1;
	t->slots = xcalloc(n * 2, sizeof *t->slots);
	for (uint64_t i = 0; i < n; i++) {
		if (old[i].child)
			*slot_of(t, old[i].edge) = old[i];
	}
	free(old);
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
	uint64_t edge = (uint64_t)parent << 32 | name;
	struct tree_slot *s = slot_of(t, edge);

	if (s->child == 0) {
		struct node *n;

		if (t->n == t->cap) {
			grow(t);
			s = slot_of(t, edge);
		}
		n = &t->nodes[t->n];
		memset(n, 0, sizeof *n);
		memset(&t->sums[t->n], 0, sizeof *t->sums);
		memset(&t->recent[t->n], 0, sizeof *t->recent);
		memset(&t->follow[t->n], 0, sizeof *t->follow);
		n->parent = parent;
		n->name = name;
		n->depth = t->nodes[parent].depth + 1;
		n->recursive = is_above(t, parent, name);
		n->sibling = t->nodes[parent].first_child;
		t->nodes[parent].first_child = t->n;
		s->edge = edge;
		s->child = t->n++;
	}
	t->recent[parent] = (struct recent){name, s->child};
	return s->child;
}
