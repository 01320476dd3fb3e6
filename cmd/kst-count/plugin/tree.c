/* SPDX-License-Identifier: ISC */
#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "plugin/count.h"
#include "set/slots.h"

struct node {
	uint64_t addr, count;
	uint32_t parent, kind;
};

/* Node 0 is the root, of a kind that no other has. */
static struct {
	struct node *node;
	size_t n, cap;
	struct slots slots;
} tree;

static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct node *a = (const struct node *)of + id, *b = key;

	return a->addr == b->addr && a->parent == b->parent &&
	       a->kind == b->kind;
}

uint32_t
tree_child(uint32_t parent, enum tree_kind kind, uint64_t addr)
{
	const struct node key = {addr, 0, parent, (uint32_t)kind};
	const uint64_t hash = (addr ^ (uint64_t)parent << 32 ^ kind) *
			      UINT64_C(0x9e3779b97f4a7c15);
	uint32_t id;

	if (tree.n == 0) {
		slots_init(&tree.slots);
		slots_add(&tree.slots, 0);
		*xpush(tree.node, tree.n, tree.cap) = (struct node){0};
	}
	id = slots_find(&tree.slots, hash, same, tree.node, &key);
	if (id != SLOTS_NONE)
		return id;
	if (tree.n >= TREE_MAX && kind != TREE_DEEP)
		return tree_child(0, TREE_DEEP, 0);
	slots_add(&tree.slots, hash);
	*xpush(tree.node, tree.n, tree.cap) = key;
	return (uint32_t)tree.n - 1;
}

void
tree_add(uint32_t node, uint64_t n)
{
	tree.node[node].count += n;
}

static void
put_frame(const struct node *d, FILE *f)
{
	if (d->kind == TREE_LOST)
		fputs("[lost]", f);
	else if (d->kind == TREE_DEEP)
		fputs("[truncated]", f);
	else if (d->kind == TREE_CPU)
		fprintf(f, "CPU#%" PRIu64, d->addr);
	else
		fprintf(f, "0x%" PRIx64, d->addr);
	if (d->kind == TREE_TRAP)
		fputs(";<signal handler called>", f);
}

void
tree_write(const char *prefix, FILE *f)
{
	uint32_t *path = NULL;
	size_t depth, cap = 0;

	for (size_t i = 1; i < tree.n; i++) {
		if (tree.node[i].count == 0)
			continue;
		depth = 0;
		for (uint32_t k = (uint32_t)i; k; k = tree.node[k].parent)
			*xpush(path, depth, cap) = k;
		fputs(prefix, f);
		while (depth-- > 0) {
			put_frame(&tree.node[path[depth]], f);
			if (depth > 0)
				fputc(';', f);
		}
		fprintf(f, " %" PRIu64 "\n", tree.node[i].count);
		tree.node[i].count = 0;
	}
	free(path);
}
