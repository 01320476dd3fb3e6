/* SPDX-License-Identifier: ISC */
/* Trees whose root frames are pieces of time, kst-folded(5). */
#include <stdlib.h>

#include "base/bytes.h"
#include "set/intern.h"
#include "base/xalloc.h"
#include "frames/tree.h"
#include "profile/pieces.h"

uint64_t
tree_piece(const struct tree *t)
{
	uint64_t last = 0, width = UINT64_MAX, ns;
	uint32_t n = 0;

	for (uint32_t i = 1; i < t->n; i = t->nodes[i].end) {
		size_t len;
		const char *name = intern_str(t->names, t->nodes[i].name, &len);

		if (bytes_is(name, len, "[unknown]"))
			continue;
		if (!pieces_is(name, len, &ns) || (n && ns <= last))
			return 0;
		if (n++ && ns - last < width)
			width = ns - last;
		last = ns;
	}
	return n > 1 ? width : n ? 1000000000 : 0;
}

/* A path without its piece of time. */
struct path {
	uint32_t parent, name, depth;
	weight total, self;
};

struct paths {
	struct intern *ids; /* of parent and name */
	struct path *v;
	size_t cap;
};

/* The number of a path, from 1; 0 is the root. */
static uint32_t
path_of(struct paths *p, uint32_t parent, const struct node *n)
{
	const uint32_t key[2] = {parent, n->name};
	uint32_t known = intern_count(p->ids);
	uint32_t id = intern_id(p->ids, (const char *)key, sizeof key);

	if (id == known)
		*xitem(p->v, id, p->cap) = (struct path){.parent = parent,
		    .name = n->name,
		    .depth = n->depth ? n->depth - 1 : 0};
	return id;
}

/* Path 0 stands for the root, and for the pieces. */
static void
find_paths(struct paths *p, const struct tree *t)
{
	uint32_t *open = xcalloc((size_t)t->depth_max + 2, sizeof *open);

	p->ids = intern_new();
	path_of(p, UINT32_MAX, &t->nodes[0]);
	p->v[0].total = tree_total(t, 0, 0);
	p->v[0].self = tree_self(t, 0, 0);
	for (uint32_t i = 1; i < t->n; i++) {
		const struct node *n = &t->nodes[i];
		uint32_t id =
		    n->depth == 1 ? 0 : path_of(p, open[n->depth - 1], n);

		open[n->depth] = id;
		p->v[id].self += tree_self(t, i, 0);
		if (id)
			p->v[id].total += tree_total(t, i, 0);
	}
	free(open);
}

struct tree *
tree_timeless(const struct tree *with_time)
{
	struct tree *t = xcalloc(1, sizeof *t);
	struct paths p = {0};

	find_paths(&p, with_time);
	t->n = intern_count(p.ids);
	t->names = with_time->names;
	t->shares_names = true;
	t->nodes = xcalloc(t->n, sizeof *t->nodes);
	/* parents come first among the paths, but last among the nodes */
	for (uint32_t i = 0; i < t->n; i++) {
		const struct path *f = &p.v[i];
		uint32_t at = i ? t->n - i : 0;

		tree_set(t, t->n, at,
		    &(struct frame){
			f->name, f->depth, 0, {f->total}, {f->self}});
		if (i)
			t->nodes[at].end = f->parent ? t->n - f->parent : 0;
	}
	intern_free(p.ids);
	free(p.v);
	tree_arrange(t, true);
	return t;
}
