/* SPDX-License-Identifier: ISC */
/*
 * Folded text from the tree, sorted bytewise: only siblings are compared; a
 * stack's text grows and shrinks on the walk.
 */
#include "sinks.h"

#include <stdlib.h>
#include <string.h>

#include "text/folded.h"
#include "set/intern.h"
#include "io/out.h"
#include "base/xalloc.h"

struct name *
fold_names(const struct pair *p, struct intern *set, uint32_t *same)
{
	struct name *text = xcalloc(p->n_names + 1, sizeof *text);
	struct buf plain = BUF_INIT, name = BUF_INIT;

	for (uint32_t i = 0; i < p->n_names; i++) {
		plain.len = name.len = 0;
		event_unescape(&plain, p->names[i].p, p->names[i].len);
		folded_add_name(&name, plain.p, plain.len);
		same[i] = intern_id(set, name.p, name.len);
		text[i].p = intern_str(set, same[i], &text[i].len);
	}
	buf_done(&plain);
	buf_done(&name);
	return text;
}

/*
 * If names are equal in folded text, their stacks are merged in a second tree
 * over the numbers of the text.
 */
static void
merge_names(
    const struct span_tree *from, const uint32_t *same, struct span_tree *to)
{
	uint32_t *node = xcalloc(from->n, sizeof *node);

	tree_init(to);
	for (uint32_t i = 1; i < from->n; i++) { /* parents come first */
		const struct span_node *n = &from->nodes[i];
		const struct sum *sum = &from->sums[i];

		node[i] = tree_child(to, node[n->parent], same[n->name]);
		sum_add(&to->sums[node[i]], sum->calls, sum->self);
	}
	free(node);
}

/*
 * What one parent prints: a child's own line, or (BELOW) all lines below the
 * child. They sort apart: `f`, then `f1`, then `f;g`.
 */
enum { BELOW = 1 };

struct units {
	const struct span_tree *tree;
	const struct name *text; /* a node's name as it is printed, by name */
	bool calls;
	uint32_t *v;	 /* node << 1 | BELOW, the units of a parent together */
	uint32_t *start; /* by parent; its end is the next one's start */
};

static int
compare(const void *pa, const void *pb, void *ctx)
{
	const struct units *u = ctx;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct name *x = &u->text[u->tree->nodes[a >> 1].name];
	const struct name *y = &u->text[u->tree->nodes[b >> 1].name];
	size_t n = x->len < y->len ? x->len : y->len;
	int c = memcmp(x->p, y->p, n), x_next, y_next;

	if (c)
		return c;
	x_next = x->len > n ? (unsigned char)x->p[n] : a & BELOW ? ';' : -1;
	y_next = y->len > n ? (unsigned char)y->p[n] : b & BELOW ? ';' : -1;
	return (x_next > y_next) - (x_next < y_next);
}

static uint64_t
count_of(const struct units *u, uint32_t node)
{
	const struct sum *sum = &u->tree->sums[node];

	return u->calls ? sum->calls : sum->self;
}

/* How many units a node makes under its parent. */
static uint32_t
units_of(const struct units *u, uint32_t node)
{
	return (count_of(u, node) != 0) +
	       (u->tree->nodes[node].first_child != 0);
}

static void
sort_units(struct units *u)
{
	const struct span_tree *t = u->tree;
	uint32_t *at = xcalloc((size_t)t->n + 2, sizeof *at);

	u->start = at + 1; /* while filling, start[i] runs up to its end */
	for (uint32_t i = 1; i < t->n; i++)
		u->start[t->nodes[i].parent] += units_of(u, i);
	for (uint32_t i = 0, sum = 0; i <= t->n; i++) {
		uint32_t n = i < t->n ? u->start[i] : 0;

		u->start[i] = sum;
		sum += n;
	}
	u->v = xcalloc((size_t)u->start[t->n] + 1, sizeof *u->v);
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t *to = &u->start[t->nodes[i].parent];

		if (count_of(u, i))
			u->v[(*to)++] = i << 1;
		if (t->nodes[i].first_child)
			u->v[(*to)++] = i << 1 | BELOW;
	}
	u->start = at;
	for (uint32_t i = 0; i < t->n; i++)
		qsort_r(
		    u->v + at[i], at[i + 1] - at[i], sizeof *u->v, compare, u);
}

static void
print_line(const struct buf *path, const struct name *name, uint64_t count)
{
	char digits[20];

	out_put(path->p, path->len);
	out_put(name->p, name->len);
	out_putc(' ');
	out_put(digits, event_u64(digits, count));
	out_putc('\n');
}

/* One level of the walk: the units left, and the path's length. */
struct level {
	uint32_t at, end;
	size_t path_len;
};

static void
print_tree(const struct span_tree *t, const struct name *text, bool calls)
{
	struct units u = {.tree = t, .text = text, .calls = calls};
	struct buf path = BUF_INIT;
	struct level *levels;

	sort_units(&u);
	levels = xcalloc(tree_depth(t) + 1, sizeof *levels);
	levels[0] =
	    (struct level){u.start[TREE_ROOT], u.start[TREE_ROOT + 1], 0};
	for (size_t n = 1; n > 0;) {
		struct level *l = &levels[n - 1];
		uint32_t unit, node;

		if (l->at == l->end) {
			n--;
			continue;
		}
		unit = u.v[l->at++];
		node = unit >> 1;
		path.len = l->path_len;
		if (!(unit & BELOW)) {
			print_line(&path, &text[t->nodes[node].name],
			    count_of(&u, node));
			continue;
		}
		buf_add(&path, text[t->nodes[node].name].p,
		    text[t->nodes[node].name].len);
		buf_addc(&path, ';');
		levels[n++] =
		    (struct level){u.start[node], u.start[node + 1], path.len};
	}
	free(levels);
	free(u.start);
	free(u.v);
	buf_done(&path);
}

void
fold_print(const struct pair *p, bool calls)
{
	struct intern *set = intern_new();
	uint32_t *same = xcalloc(p->n_names + 1, sizeof *same);
	struct name *text = fold_names(p, set, same);

	if (intern_count(set) == p->n_names) {
		print_tree(&p->tree, text, calls);
	} else {
		struct span_tree merged;
		struct name *by_set = xcalloc(p->n_names, sizeof *by_set);

		for (uint32_t i = 0; i < p->n_names; i++)
			by_set[same[i]] = text[i];
		merge_names(&p->tree, same, &merged);
		print_tree(&merged, by_set, calls);
		tree_done(&merged);
		free(by_set);
	}
	free(text);
	free(same);
	intern_free(set);
}
