/* SPDX-License-Identifier: ISC */
/* Frames that are complete, and the tree that is made of them in place. */
#include "record.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/msg.h"
#include "svg.h"
#include "tree.h"
#include "base/xalloc.h"

/* Frames between two sweeps, and bytes of names between two of theirs. */
enum { SWEEP_FIRST = 1 << 14, NAMES_FIRST = 1 << 20 };

void
records_init(struct records *r)
{
	r->names = intern_new();
	r->sweeping = r->keep == 0;
	r->sweep_at = r->keep > SWEEP_FIRST ? r->keep : SWEEP_FIRST;
	r->names_at = NAMES_FIRST;
}

void
records_done(struct records *r)
{
	free(r->v);
	intern_free(r->names);
}

/* What a weight is worth on the picture's scale. */
static double
width_of(const struct records *r, const weight w[2])
{
	if (!r->normalize || r->total[0] == 0 || r->total[1] == 0)
		return (double)(w[0] + w[1]);
	return (double)w[0] * ((double)r->total[1] / (double)r->total[0]) +
	       (double)w[1];
}

void
records_update(struct records *r)
{
	r->least_of = r->total[0] + r->total[1];
	r->least = (weight)(width_of(r, r->total) * r->min_share);
}

/* Ranks change with the totals then, so that only the share counts. */
bool
records_narrow_normalized(const struct records *r, const weight w[2])
{
	return width_of(r, w) < width_of(r, r->total) * r->min_share;
}

static int
larger_first(const void *va, const void *vb)
{
	weight a, b;

	memcpy(&a, va, sizeof a);
	memcpy(&b, vb, sizeof b);
	return a > b ? -1 : a < b;
}

/* The value that comes k-th when v is sorted from large to small. */
static weight
kth_largest(weight *v, size_t n, size_t k)
{
	size_t lo = 0, hi = n;

	for (int round = 0; hi - lo > 1; round++) {
		weight pivot = v[lo + (hi - lo) / 2], t;
		size_t a = lo, i = lo, b = hi;

		if (round == 60) { /* the pivots are bad */
			qsort(v + lo, hi - lo, sizeof *v, larger_first);
			return v[k];
		}
		while (i < b) { /* [lo,a) above, [a,b) equal, [b,hi) below */
			t = v[i];
			if (t > pivot) {
				v[i++] = v[a];
				v[a++] = t;
			} else if (t < pivot) {
				v[i] = v[--b];
				v[b] = t;
			} else {
				i++;
			}
		}
		if (k < a)
			hi = a;
		else if (k < b)
			return pivot;
		else
			lo = b;
	}
	return v[lo];
}

/* The weight of the first frame that is one too many, the widest first. */
static void
raise_cut(struct records *r)
{
	weight *w;

	if (r->keep == 0 || r->normalize || r->n <= r->keep)
		return;
	w = xreallocn(NULL, r->n, sizeof *w);
	for (size_t i = 0; i < r->n; i++)
		w[i] = r->v[i].total[0] + r->v[i].total[1];
	r->cut = kth_largest(w, r->n, r->keep);
	free(w);
}

/* Forgets the names that no frame has any more. */
static void
sweep_names(struct records *r)
{
	struct intern *names = intern_new();

	for (size_t i = 0; i < r->n; i++) {
		struct node *f = &r->v[i];
		size_t len;
		const char *p = intern_str(r->names, f->name, &len);

		f->name = intern_id(names, p, len);
	}
	intern_free(r->names);
	r->names = names;
	r->names_at = intern_bytes(names) * 2;
	if (r->names_at < NAMES_FIRST)
		r->names_at = NAMES_FIRST;
}

/* Drops the frames that have become too narrow. */
static void
sweep(struct records *r)
{
	size_t kept = 0;

	raise_cut(r);
	for (size_t i = 0; i < r->n; i++)
		if (!records_narrow(r, r->v[i].total))
			r->v[kept++] = r->v[i];
	r->n = kept;
	r->sweep_at = kept * 2 > SWEEP_FIRST ? kept * 2 : SWEEP_FIRST;
	if (intern_bytes(r->names) > r->names_at)
		sweep_names(r);
}

/* The number of a name, in which SVG_INNER may stand for a `;`. */
static uint32_t
name_id(struct records *r, const char *name, size_t len)
{
	uint32_t id;
	char *copy;

	if (len == 0) /* as kst-folded(5) writes it */
		return intern_id(r->names, "??", 2);
	if (len > SVG_NAME_MAX)
		len = SVG_NAME_MAX;
	if (memchr(name, SVG_INNER, len) == NULL)
		return intern_id(r->names, name, len);
	copy = xmemdup0(name, len);
	for (size_t i = 0; i + 1 < len; i++)
		if (copy[i] == SVG_INNER && copy[i + 1] == ' ')
			copy[i] = ';';
	id = intern_id(r->names, copy, len);
	free(copy);
	return id;
}

void
records_add(
    struct records *r, const char *name, size_t len, const struct node *f)
{
	if (records_narrow(r, f->total))
		return;
	if (r->n >= r->sweep_at) {
		r->sweeping = true;
		sweep(r);
		if (records_narrow(r, f->total))
			return;
	}
	r->v = xgrow(r->v, r->n + 1, &r->cap, sizeof *r->v);
	r->v[r->n] = *f;
	r->v[r->n++].name = name_id(r, name, len);
}

/*
 * Turns the frames, children first, into parents first. Going backwards, each
 * takes the end of what is left of its parent's range. Node 0 is the root's,
 * so that frame i is node i + 1 of t.
 */
static void
order_nodes(struct tree *t)
{
	uint32_t *to = xreallocn(NULL, t->n, sizeof *to);
	uint32_t *by_depth;

	for (uint32_t i = 1; i < t->n; i++)
		if (t->nodes[i].depth > t->depth_max)
			t->depth_max = t->nodes[i].depth;
	by_depth = xcalloc((size_t)t->depth_max + 2, sizeof *by_depth);
	for (uint32_t i = 1; i < t->n; i++) {
		uint32_t d = t->nodes[i].depth;

		to[i] = 1 + by_depth[d + 1]; /* the size for now */
		by_depth[d + 1] = 0;
		by_depth[d] += to[i];
	}
	by_depth[1] = t->n;
	to[0] = 0;
	for (uint32_t i = t->n; i-- > 1;) {
		uint32_t d = t->nodes[i].depth, at = by_depth[d] - to[i];

		t->nodes[i].end = by_depth[d];
		to[i] = by_depth[d] = at;
		by_depth[d + 1] = t->nodes[i].end;
	}
	free(by_depth);
	tree_move(t, to);
	free(to);
}

struct tree *
records_tree(struct records *r, const weight root_self[2])
{
	struct tree *t = xcalloc(1, sizeof *t);
	struct node *root;

	r->sweeping = r->sweeping || r->n > r->keep;
	records_update(r);
	sweep(r);
	sweep_names(r);
	if (r->n >= UINT32_MAX)
		msg_die(EXIT_FAILED, "too many frames");
	t->n = (uint32_t)r->n + 1;
	t->nodes = xreallocn(r->v, t->n, sizeof *t->nodes);
	memmove(t->nodes + 1, t->nodes, r->n * sizeof *t->nodes);
	root = &t->nodes[0];
	memset(root, 0, sizeof *root);
	root->name = intern_id(r->names, "all", 3);
	root->end = t->n;
	memcpy(root->total, r->total, sizeof root->total);
	memcpy(root->self, root_self, sizeof root->self);
	order_nodes(t);
	t->names = r->names;
	r->names = NULL;
	r->v = NULL;
	r->n = r->cap = 0;
	return t;
}
