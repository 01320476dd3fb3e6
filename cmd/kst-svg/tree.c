/* SPDX-License-Identifier: ISC */
/* The order of a tree's nodes. */
#include "tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/intern.h"
#include "base/xalloc.h"

void
tree_free(struct tree *t)
{
	if (t == NULL)
		return;
	intern_free(t->names);
	free(t->nodes);
	free(t->more);
	free(t);
}

void
node_set(struct node *nodes, struct node_more **more, size_t cap, size_t i,
    const struct frame *f)
{
	struct count total = weight_count(f->total[0]);
	struct count self = weight_count(f->self[0]);

	nodes[i] = (struct node){.name = f->name,
	    .depth = f->depth,
	    .total = total.whole,
	    .self = self.whole};
	if (*more == NULL && (f->at || f->total[1] || total.frac || self.frac))
		*more = xcalloc(cap, sizeof **more);
	if (*more)
		(*more)[i] = (struct node_more){
		    f->at, f->total[1], f->self[1], total.frac, self.frac};
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

struct children {
	struct child *p;
	size_t n, cap;
};

/* The children of a node, by name. */
static void
sorted_children(const struct tree *t, uint32_t of, struct children *c)
{
	bool in_order = true;

	c->n = 0;
	for (uint32_t i = of + 1; i < t->nodes[of].end; i = t->nodes[i].end) {
		struct child *k;

		c->p = xgrow(c->p, c->n + 1, &c->cap, sizeof *c->p);
		k = &c->p[c->n++];
		k->node = i;
		k->name = intern_str(t->names, t->nodes[i].name, &k->len);
		if (c->n > 1 && child_cmp(k - 1, k) > 0)
			in_order = false;
	}
	if (!in_order)
		qsort(c->p, c->n, sizeof *c->p, child_cmp);
}

void
tree_move(struct tree *t, uint32_t *to)
{
	for (uint32_t i = 0; i < t->n; i++)
		while (to[i] != i) {
			uint32_t k = to[i];
			struct node n = t->nodes[k];

			t->nodes[k] = t->nodes[i];
			t->nodes[i] = n;
			if (t->more) {
				struct node_more m = t->more[k];

				t->more[k] = t->more[i];
				t->more[i] = m;
			}
			to[i] = to[k];
			to[k] = k;
		}
}

void
tree_sort(struct tree *t)
{
	uint32_t *to = xcalloc(t->n, sizeof *to);
	struct children c = {NULL, 0, 0};

	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t next = to[i] + 1, end = t->nodes[i].end;

		if (i + 1 < end && t->nodes[i + 1].end == end) {
			to[i + 1] = next; /* an only child */
			continue;
		}
		sorted_children(t, i, &c);
		for (size_t k = 0; k < c.n; k++) {
			uint32_t from = c.p[k].node;

			to[from] = next;
			next += t->nodes[from].end - from;
		}
	}
	free(c.p);
	for (uint32_t i = 0; i < t->n; i++)
		t->nodes[i].end += to[i] - i;
	tree_move(t, to);
	free(to);
}
