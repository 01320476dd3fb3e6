/* SPDX-License-Identifier: ISC */
#include "span/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "set/hash.h"

struct edge {
	uint32_t parent, name;
};

void
tree_init(struct span_tree *t)
{
	memset(t, 0, sizeof *t);
	memset(xpush(t->nodes, t->n, t->cap), 0, sizeof *t->nodes);
	slots_init(&t->edges);
}

void
tree_done(struct span_tree *t)
{
	free(t->nodes);
	slots_done(&t->edges);
	memset(t, 0, sizeof *t);
}

static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct span_node *n =
	    &((const struct span_tree *)of)->nodes[id + 1];
	const struct edge *e = key;

	return n->parent == e->parent && n->name == e->name;
}

uint32_t
tree_child(struct span_tree *t, uint32_t parent, uint32_t name)
{
	const struct edge edge = {parent, name};
	uint64_t hash = hash_bytes(&edge, sizeof edge);
	uint32_t id = slots_find(&t->edges, hash, same, t, &edge);

	if (id != SLOTS_NONE)
		return id + 1;
	slots_add(&t->edges, hash);
	*xpush(t->nodes, t->n, t->cap) =
	    (struct span_node){.parent = parent, .name = name};
	return t->n - 1;
}
