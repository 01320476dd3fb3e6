/* SPDX-License-Identifier: ISC */
/*
 * Folded text from the tree, sorted bytewise. Names are compared once (ranks):
 * siblings are linked in their order, and a stack's text grows and shrinks on
 * the walk.
 */
#include "span.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "io/out.h"
#include "set/intern.h"
#include "set/ranks.h"
#include "text/folded.h"

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

static void
add(uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = UINT64_MAX;
}

/*
 * The tree with the numbers of names in folded text, where names that differ
 * in event text may be equal.
 */
static void
rename_nodes(
    const struct span_tree *from, const uint32_t *ids, struct span_tree *to)
{
	uint32_t *node = xcalloc(from->n, sizeof *node);

	for (uint32_t i = 1; i < from->n; i++) {
		const struct span_node *n = &from->nodes[i];

		node[i] = tree_child(to, node[n->parent], ids[n->name]);
		add(&to->nodes[node[i]].self, n->self);
		add(&to->nodes[node[i]].calls, n->calls);
	}
	free(node);
}

/*
 * What one parent prints: a child's own line, or all lines below the child.
 * They sort apart: `f`, then `f1`, then `f;g`. END ends a parent's units.
 */
enum { OWN = 1, END = TREE_ROOT << 1 | OWN };

struct units {
	const struct span_tree *tree;
	const struct intern *names;
	bool calls;
	uint32_t *first; /* by parent, 0: none; a unit is node << 1 | OWN */
	uint32_t *next;	 /* by unit */
};

static uint64_t
count_of(const struct units *u, uint32_t node)
{
	const struct span_node *n = &u->tree->nodes[node];

	return u->calls ? n->calls : n->self;
}

/* Puts the node's unit, if it prints something, before its parent's others. */
static inline void
put_first(struct units *u, uint32_t node, unsigned own)
{
	uint32_t *first = &u->first[u->tree->nodes[node].parent];

	if (own ? count_of(u, node) == 0 : u->first[node] == 0)
		return;
	u->next[node << 1 | own] = *first;
	*first = node << 1 | own;
}

/* Links the units of each parent, the last one first. */
static void
sort_units(struct units *u)
{
	const struct span_node *nodes = u->tree->nodes;
	uint32_t n = u->tree->n, n_names = intern_count(u->names);
	uint32_t *by_name = xcalloc((size_t)n_names + 1, sizeof *by_name);
	uint32_t *same = xcalloc(n, sizeof *same);
	struct ranks r;

	u->first = xcalloc(n, sizeof *u->first);
	u->next = xcalloc(n, 2 * sizeof *u->next);
	u->first[TREE_ROOT] = END;
	for (uint32_t i = 1; i < n; i++) {
		same[i] = by_name[nodes[i].name];
		by_name[nodes[i].name] = i;
		u->first[nodes[i].parent] = END;
	}
	ranks_init(&r, u->names);
	for (uint32_t rank = n_names * 2; rank-- > 0;) {
		uint32_t name = r.of[rank];
		unsigned own = r.rank[(size_t)name * 2 + 1] == rank;

		for (uint32_t i = by_name[name]; i; i = same[i])
			put_first(u, i, own);
	}
	ranks_done(&r);
	free(by_name);
	free(same);
}

static void
print_line(const struct buf *path, const char *name, size_t len, uint64_t count)
{
	size_t need = path->len + len + 22;
	char *p;

	if (out.cap - out.len < need)
		out_room(need);
	p = out.p + out.len;
	if (path->len)
		memcpy(p, path->p, path->len);
	p += path->len;
	memcpy(p, name, len);
	p += len;
	*p++ = ' ';
	p += event_u64(p, count);
	*p++ = '\n';
	out.len = (size_t)(p - out.p);
}

static void
print_units(const struct units *u)
{
	const struct span_node *nodes = u->tree->nodes;
	struct buf path = BUF_INIT;
	uint32_t parent = TREE_ROOT, unit = u->first[TREE_ROOT];

	while (unit != END || parent != TREE_ROOT) {
		uint32_t node = unit == END ? parent : unit >> 1;
		size_t len;
		const char *name = intern_str(u->names, nodes[node].name, &len);

		if (unit == END) {
			path.len -= len + 1;
			unit = u->next[parent << 1];
			parent = nodes[parent].parent;
		} else if (unit & OWN) {
			print_line(&path, name, len, count_of(u, node));
			unit = u->next[unit];
		} else {
			buf_add(&path, name, len);
			buf_addc(&path, ';');
			parent = node;
			unit = u->first[node];
		}
	}
	buf_done(&path);
}

void
fold_print(const struct pair *p, bool calls)
{
	struct intern *names = intern_new();
	uint32_t *ids = fold_names(p, names);
	struct units u = {.tree = &p->tree, .names = names, .calls = calls};
	struct span_tree renamed;

	tree_init(&renamed);
	if (intern_count(names) < p->n_names) {
		rename_nodes(&p->tree, ids, &renamed);
		u.tree = &renamed;
	}
	free(ids);
	sort_units(&u);
	print_units(&u);
	free(u.first);
	free(u.next);
	tree_done(&renamed);
	intern_free(names);
}
