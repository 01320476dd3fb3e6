/* SPDX-License-Identifier: ISC */
/* The order of a tree's nodes. */
#include "frames/tree.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "set/intern.h"
#include "base/xalloc.h"
#include "frames/sums.h"

void
tree_free(struct tree *t)
{
	if (t == NULL)
		return;
	sums_free(t->sums);
	if (!t->shares_names)
		intern_free(t->names);
	free(t->nodes);
	free(t->at);
	free(t->more);
	free(t);
}

void
tree_set(struct tree *t, size_t cap, uint32_t i, const struct frame *f)
{
	struct count at = weight_count(f->at), total, self;

	total = weight_count(f->total[0]);
	self = weight_count(f->self[0]);
	t->nodes[i] = (struct node){.name = f->name,
	    .depth = f->depth,
	    .total = total.whole,
	    .self = self.whole};
	if (f->depth > t->depth_max)
		t->depth_max = f->depth;
	if (t->at == NULL && at.whole)
		t->at = xcalloc(cap, sizeof *t->at);
	if (t->at)
		t->at[i] = at.whole;
	if (t->more == NULL &&
	    (f->total[1] || at.frac || total.frac || self.frac))
		t->more = xcalloc(cap, sizeof *t->more);
	if (t->more)
		t->more[i] = (struct node_more){
		    f->total[1], f->self[1], at.frac, total.frac, self.frac};
}

void
tree_add(struct tree *t, size_t *cap, const struct frame *f)
{
	size_t had = *cap;

	if (t->n == UINT32_MAX)
		msg_die(EXIT_FAILED, "too many frames");
	t->nodes = xgrow(t->nodes, (size_t)t->n + 1, cap, sizeof *t->nodes);
	if (had < *cap && t->at)
		t->at = xreallocn(t->at, *cap, sizeof *t->at);
	if (had < *cap && t->more)
		t->more = xreallocn(t->more, *cap, sizeof *t->more);
	tree_set(t, *cap, t->n++, f);
}

weight
tree_lost(const struct tree *t)
{
	weight lost = tree_total(t, 0, 0) + tree_total(t, 0, 1);

	for (uint32_t i = 0; i < t->n; i++)
		lost -= tree_self(t, i, 0) + tree_self(t, i, 1);
	return lost;
}

struct intern *
tree_sweep_names(struct tree *t, uint32_t **numbers)
{
	struct intern *names = intern_new(), *old = t->names;
	size_t n = intern_count(t->names);
	uint32_t *to = xreallocn(NULL, n + 1, sizeof *to);

	memset(to, 0xff, n * sizeof *to);
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t *id = &to[t->nodes[i].name];

		if (*id == UINT32_MAX) {
			size_t len;
			const char *p =
			    intern_str(t->names, t->nodes[i].name, &len);

			*id = intern_id(names, p, len);
		}
		t->nodes[i].name = *id;
	}
	if (numbers)
		*numbers = to;
	else
		free(to);
	t->names = names;
	return old;
}

/* The parent of a frame is the next one that is one less deep. */
void
tree_find_parents(struct tree *t)
{
	uint32_t *last = xcalloc((size_t)t->depth_max + 1, sizeof *last);

	for (uint32_t i = t->n; i-- > 1;) {
		uint32_t depth = t->nodes[i].depth;

		t->nodes[i].end = last[depth - 1];
		last[depth] = i;
	}
	free(last);
}

/* A child, for qsort, which passes nothing else. */
struct child {
	const char *name;
	size_t len;
	uint32_t node;
};

static int
child_cmp(const void *va, const void *vb)
{
	const struct child *a = va, *b = vb;
	int c = bytes_cmp(a->name, a->len, b->name, b->len);

	return c ? c : (a->node > b->node) - (a->node < b->node);
}

#define SWAP(v, i, k)                         \
	do {                                  \
		__typeof__(*(v)) x_ = (v)[i]; \
		(v)[i] = (v)[k];              \
		(v)[k] = x_;                  \
	} while (0)

/* Moves each node i to to[i], in place, which clears `to`. */
static void
move_nodes(struct tree *t, uint32_t *to)
{
	for (uint32_t i = 0, k; i < t->n; i++)
		while ((k = to[i]) != i) {
			SWAP(t->nodes, i, k);
			if (t->at)
				SWAP(t->at, i, k);
			if (t->more)
				SWAP(t->more, i, k);
			SWAP(to, i, k);
		}
}

void
tree_arrange(struct tree *t, bool by_name)
{
	uint32_t *first = xcalloc(t->n, sizeof *first);
	uint32_t *next = xcalloc(t->n, sizeof *next);
	uint32_t *to = xcalloc(t->n, sizeof *to); /* sizes at first */
	struct child *child = NULL;
	size_t n, cap = 0;

	for (uint32_t i = t->n; i-- > 1;) {
		next[i] = first[t->nodes[i].end];
		first[t->nodes[i].end] = i;
	}
	for (uint32_t i = 1; i < t->n; i++)
		to[t->nodes[i].end] += ++to[i];
	to[0] = 0;
	t->nodes[0].end = t->n;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t up = i ? t->n - i : 0, at = to[up] + 1;
		bool is_ordered = true;

		n = 0;
		for (uint32_t c = first[up]; c; c = next[c]) {
			struct child *k = xpush(child, n, cap);

			k->node = c;
			k->name =
			    intern_str(t->names, t->nodes[c].name, &k->len);
			is_ordered =
			    is_ordered && (n == 1 || child_cmp(k - 1, k) < 0);
		}
		if (!is_ordered && by_name)
			qsort(child, n, sizeof *child, child_cmp);
		for (size_t k = 0; k < n; k++) {
			uint32_t c = child[k].node, size = to[c];

			to[c] = at;
			at += size;
			t->nodes[c].end = at;
		}
	}
	free(child);
	free(first);
	free(next);
	move_nodes(t, to);
	free(to);
}
