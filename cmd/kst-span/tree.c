/* SPDX-License-Identifier: ISC */
#include "tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "set/intern.h"

void
tree_init(struct span_tree *t)
{
	memset(t, 0, sizeof *t);
	memset(xpush(t->nodes, t->n, t->cap), 0, sizeof *t->nodes);
	t->edges = intern_new();
}

void
tree_done(struct span_tree *t)
{
	free(t->nodes);
	intern_free(t->edges);
	memset(t, 0, sizeof *t);
}

uint32_t
tree_child(struct span_tree *t, uint32_t parent, uint32_t name)
{
	const uint32_t edge[] = {parent, name};
	uint32_t id = 1 + intern_id(t->edges, (const char *)edge, sizeof edge);

	if (id == t->n)
		*xpush(t->nodes, t->n, t->cap) =
		    (struct span_node){.parent = parent, .name = name};
	return id;
}
