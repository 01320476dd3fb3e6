/* SPDX-License-Identifier: ISC */
/*
 * Folded text from the tree, sorted bytewise: only siblings are compared; a
 * stack's text grows and shrinks on the walk.
 */
#include "sinks.h"

#include <stdlib.h>

#include "text/folded.h"
#include "set/intern.h"
#include "io/out.h"
#include "set/ranks.h"
#include "base/xalloc.h"

uint32_t *
fold_names(const struct pair *p, struct intern *set)
{
	uint32_t *ids = xcalloc(p->n_names + 1, sizeof *ids);
	struct buf plain = BUF_INIT, name = BUF_INIT;

	for (uint32_t i = 0; i < p->n_names; i++) {
		plain.len = name.len = 0;
		event_unescape(&plain, p->names[i].p, p->names[i].len);
		folded_add_name(&name, plain.p, plain.len);
		ids[i] = intern_id(set, name.p, name.len);
	}
	buf_done(&plain);
	buf_done(&name);
	return ids;
}

/* The tree again, over the names of folded text, of which some may be equal. */
static void
fold_tree(
    const struct span_tree *from, const uint32_t *ids, struct span_tree *to)
{
	uint32_t *node = xcalloc(from->n, sizeof *node);

	tree_init(to);
	for (uint32_t i = 1; i < from->n; i++) { /* parents come first */
		const struct span_node *n = &from->nodes[i];

		node[i] = tree_child(to, node[n->parent], ids[n->name]);
		tree_add(to, node[i], n->calls, n->self);
	}
	free(node);
}

/*
 * What a parent prints of a child: its own line, or (BELOW) all lines below it.
 * They sort apart: `f`, then `f1`, then `f;g`.
 */
enum { BELOW = 1 };

struct unit {
	uint32_t parent, rank; /* of its name among all */
	uint32_t node;	       /* << 1 | BELOW */
};

static int
compare(const void *pa, const void *pb)
{
	const struct unit *a = pa, *b = pb;

	if (a->parent != b->parent)
		return a->parent < b->parent ? -1 : 1;
	return (a->rank > b->rank) - (a->rank < b->rank);
}

/* The units of all parents; the root's begin at 0. */
static struct unit *
sorted_units(const struct span_tree *t, const struct intern *names)
{
	struct unit *v = xcalloc((size_t)t->n * 2, sizeof *v);
	struct ranks ranks;
	size_t n = 0;

	ranks_init(&ranks, names);
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t parent = t->nodes[i].parent;
		const uint32_t *rank =
		    &ranks.rank[(size_t)t->nodes[i].name * 2];

		v[n++] = (struct unit){parent, rank[0], i << 1 | BELOW};
		v[n++] = (struct unit){parent, rank[1], i << 1};
	}
	ranks_done(&ranks);
	qsort(v, n, sizeof *v, compare);
	v[n].parent = UINT32_MAX; /* the end */
	return v;
}

/* One level of the walk: where it is, and the path's length. */
struct level {
	const struct unit *at;
	uint32_t parent;
	size_t path_len;
};

static void
print_tree(const struct span_tree *t, const struct intern *names, bool calls)
{
	struct unit *units = sorted_units(t, names);
	const struct unit **first = xcalloc(t->n, sizeof *first);
	struct level *levels = xcalloc(PAIR_DEPTH_MAX + 2, sizeof *levels);
	struct buf path = BUF_INIT;
	char digits[20];

	for (uint32_t i = 2 * (t->n - 1); i-- > 0;)
		first[units[i].parent] = &units[i];
	levels[0].at = units;
	for (size_t n = 1; n > 0;) {
		struct level *l = &levels[n - 1];
		const struct unit *u = l->at++;
		uint32_t node = u->node >> 1;
		const struct span_node *s = &t->nodes[node];
		uint64_t count = calls ? s->calls : s->self;
		const char *name;
		size_t len;

		if (u->parent != l->parent) {
			n--;
			continue;
		}
		if (u->node & BELOW ? !first[node] : !count)
			continue;
		name = intern_str(names, s->name, &len);
		path.len = l->path_len;
		buf_add(&path, name, len);
		if (u->node & BELOW) {
			buf_addc(&path, ';');
			levels[n++] =
			    (struct level){first[node], node, path.len};
			continue;
		}
		out_put(path.p, path.len);
		out_putc(' ');
		out_put(digits, event_u64(digits, count));
		out_putc('\n');
	}
	free(levels);
	free(first);
	free(units);
	buf_done(&path);
}

void
fold_print(const struct pair *p, bool calls)
{
	struct intern *set = intern_new();
	uint32_t *ids = fold_names(p, set);
	struct span_tree tree;

	fold_tree(&p->tree, ids, &tree);
	print_tree(&tree, set, calls);
	tree_done(&tree);
	free(ids);
	intern_free(set);
}
