/* SPDX-License-Identifier: ISC */
/* Trees of which frames become one: without time, or by name. */
#include "frames/merge.h"

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

bool
tree_has_cpus(const struct tree *t)
{
	bool any = false;

	for (uint32_t i = 1; i < t->n; i++) {
		size_t len;
		const char *name = intern_str(t->names, t->nodes[i].name, &len);

		if (t->nodes[i].depth != 2)
			continue;
		if (!bytes_starts(name, len, "CPU#"))
			return false;
		any = true;
	}
	return any;
}

/* Paths of a tree that become one. */
struct path {
	struct frame f;
	uint32_t parent;
};

struct paths {
	struct intern *ids; /* of parent and name */
	struct path *v;
	size_t cap;
};

/* Adds node i, which is below path `parent`; returns the path's number. */
static uint32_t
add_node(struct paths *p, uint32_t parent, const struct tree *t, uint32_t i)
{
	const uint32_t key[2] = {parent, t->nodes[i].name};
	uint32_t known = intern_count(p->ids);
	uint32_t id = intern_id(p->ids, (const char *)key, sizeof key);
	weight at = tree_at(t, i);
	struct path *to = xitem(p->v, id, p->cap);

	if (id == known)
		*to = (struct path){{.name = key[1], .at = at}, parent};
	if (id == known && i)
		to->f.depth = p->v[parent].f.depth + 1;
	if (at < to->f.at)
		to->f.at = at;
	for (int k = 0; k < 2; k++) {
		to->f.total[k] += tree_total(t, i, k);
		to->f.self[k] += tree_self(t, i, k);
	}
	return id;
}

/* Path 0 stands for the root, and for the frames of `drop` depths above it. */
static void
find_paths(struct paths *p, const struct tree *t, uint32_t drop)
{
	uint32_t *open = xcalloc((size_t)t->depth_max + 2, sizeof *open);

	p->ids = intern_new();
	add_node(p, UINT32_MAX, t, 0);
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t depth = t->nodes[i].depth;

		if (depth <= drop)
			p->v[0].f.self[0] += tree_self(t, i, 0);
		else
			open[depth] = add_node(p, open[depth - 1], t, i);
	}
	free(open);
}

struct tree *
tree_merge(const struct tree *apart, uint32_t drop)
{
	struct tree *t = xcalloc(1, sizeof *t);
	struct paths p = {0};

	find_paths(&p, apart, drop);
	t->n = intern_count(p.ids);
	t->names = apart->names;
	t->shares_names = true;
	t->nodes = xcalloc(t->n, sizeof *t->nodes);
	/* parents come first among the paths, but last among the nodes */
	for (uint32_t i = 0; i < t->n; i++) {
		const struct path *of = &p.v[i];
		uint32_t at = i ? t->n - i : 0;

		tree_set(t, t->n, at, &of->f);
		if (i)
			t->nodes[at].end = of->parent ? t->n - of->parent : 0;
	}
	intern_free(p.ids);
	free(p.v);
	tree_arrange(t, true);
	return t;
}
