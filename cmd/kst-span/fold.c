/* SPDX-License-Identifier: ISC */
/*
 * Folded text out of the tree. Stacks are compared through the tree, so that
 * sorting needs no copy of their text.
 */
#include "sinks.h"

#include <stdlib.h>
#include <string.h>

#include "folded.h"
#include "intern.h"
#include "out.h"
#include "xalloc.h"

void
fold_span(void *ctx, const struct span *s)
{
	struct fold *f = ctx;
	struct sum *n;

	if (s->kind == EVENT_LOST || s->no_begin)
		return;
	n = &f->p->tree.sums[s->node];
	n->calls++;
	if (__builtin_add_overflow(n->self, s->self, &n->self)) {
		n->self = UINT64_MAX;
		f->overflow = true;
	}
}

/* What the comparison of two stacks needs to know. */
struct order {
	const struct node *nodes;
	const struct str *text; /* a node's name as it is printed, by name */
};

/* Compares two frame names as they stand in a line, `end` behind each. */
static int
compare_names(
    const struct str *a, bool a_goes_on, const struct str *b, bool b_goes_on)
{
	size_t n = a->len < b->len ? a->len : b->len;
	int c = memcmp(a->p, b->p, n);
	int a_next, b_next;

	if (c)
		return c;
	a_next = a->len > n ? (unsigned char)a->p[n] : a_goes_on ? ';' : -1;
	b_next = b->len > n ? (unsigned char)b->p[n] : b_goes_on ? ';' : -1;
	return (a_next > b_next) - (a_next < b_next);
}

/* Bytewise order of the two stacks' text, without their counts. */
static int
compare(const void *pa, const void *pb, void *ctx)
{
	const struct order *o = ctx;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	const struct node *na = &o->nodes[a], *nb = &o->nodes[b];
	bool a_goes_on = false, b_goes_on = false;

	if (a == b)
		return 0;
	for (; na->depth > nb->depth; na = &o->nodes[a]) {
		a = na->parent;
		a_goes_on = true;
	}
	for (; nb->depth > na->depth; nb = &o->nodes[b]) {
		b = nb->parent;
		b_goes_on = true;
	}
	if (a == b)
		return a_goes_on ? 1 : -1;
	while (na->parent != nb->parent) {
		na = &o->nodes[na->parent];
		nb = &o->nodes[nb->parent];
		a_goes_on = b_goes_on = true;
	}
	return compare_names(
	    &o->text[na->name], a_goes_on, &o->text[nb->name], b_goes_on);
}

static void
print_stack(const struct pair *p, const struct str *text, uint32_t node,
    struct buf *path, uint64_t count)
{
	const struct node *nodes = p->tree.nodes;
	char digits[20];

	path->len = 0;
	for (uint32_t i = node; i != TREE_ROOT; i = nodes[i].parent)
		buf_add(path, (const char *)&i, sizeof i);
	for (size_t at = path->len; at > 0; at -= sizeof node) {
		uint32_t i;

		memcpy(&i, path->p + at - sizeof i, sizeof i);
		if (at != path->len)
			out_putc(';');
		out_put(text[nodes[i].name].p, text[nodes[i].name].len);
	}
	out_putc(' ');
	out_put(digits, event_u64(digits, count));
	out_putc('\n');
}

/*
 * The names as folded text holds them, by name number. Names that are the
 * same there get the same number in same[].
 */
static struct str *
folded_names(const struct pair *p, struct intern *set, uint32_t *same)
{
	struct str *text = xcalloc(p->n_names + 1, sizeof *text);
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
 * When two names are the same in folded text, their stacks are merged: a
 * second tree is built over the numbers of the text.
 */
static void
merge_names(const struct tree *from, const uint32_t *same, struct tree *to)
{
	uint32_t *node = xcalloc(from->n, sizeof *node);

	tree_init(to);
	for (uint32_t i = 1; i < from->n; i++) { /* parents come first */
		const struct node *n = &from->nodes[i];
		const struct sum *sum = &from->sums[i];
		struct sum *m;

		node[i] = tree_child(to, node[n->parent], same[n->name]);
		m = &to->sums[node[i]];
		m->calls += sum->calls;
		if (__builtin_add_overflow(m->self, sum->self, &m->self))
			m->self = UINT64_MAX;
	}
	free(node);
}

static void
print_tree(const struct pair *p, const struct str *text, bool calls)
{
	const struct tree *t = &p->tree;
	struct order o = {t->nodes, text};
	uint32_t *order = xcalloc(t->n, sizeof *order), n = 0;
	struct buf path = BUF_INIT;

	for (uint32_t i = 1; i < t->n; i++) {
		if (calls ? t->sums[i].calls : t->sums[i].self)
			order[n++] = i;
	}
	qsort_r(order, n, sizeof *order, compare, &o);
	for (uint32_t i = 0; i < n; i++) {
		const struct sum *sum = &t->sums[order[i]];

		print_stack(
		    p, text, order[i], &path, calls ? sum->calls : sum->self);
	}
	free(order);
	buf_done(&path);
}

void
fold_print(const struct pair *p, bool calls)
{
	struct intern *set = intern_new();
	uint32_t *same = xcalloc(p->n_names + 1, sizeof *same);
	struct str *text = folded_names(p, set, same);

	if (intern_count(set) == p->n_names) {
		print_tree(p, text, calls);
	} else {
		struct pair merged = {.n_names = intern_count(set)};
		struct str *by_set = xcalloc(p->n_names, sizeof *by_set);

		for (uint32_t i = 0; i < p->n_names; i++)
			by_set[same[i]] = text[i];
		merge_names(&p->tree, same, &merged.tree);
		print_tree(&merged, by_set, calls);
		tree_done(&merged.tree);
		free(by_set);
	}
	free(text);
	free(same);
	intern_free(set);
}
