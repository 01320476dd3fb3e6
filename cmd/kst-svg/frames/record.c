/* SPDX-License-Identifier: ISC */
/* Frames that are complete, and the tree that is made of them in place. */
#include "frames/record.h"

#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/msg.h"
#include "frames/tree.h"
#include "base/xalloc.h"

/* Frames between two sweeps, and bytes of names between two of theirs. */
enum { SWEEP_FIRST = 1 << 14, NAMES_FIRST = 1 << 20 };

void
records_init(struct records *r)
{
	r->names = intern_new();
	r->v = xgrow(NULL, 1, &r->cap, sizeof *r->v);
	r->n = 1;
	r->sweeping = r->keep == 0;
	r->sweep_at = r->keep > SWEEP_FIRST ? r->keep : SWEEP_FIRST;
	r->names_at = NAMES_FIRST;
}

void
records_done(struct records *r)
{
	free(r->v);
	free(r->more);
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

static void
weights_of(const struct records *r, size_t i, weight w[2])
{
	const struct node_more *m = r->more ? &r->more[i] : NULL;

	w[0] = r->v[i].total * WEIGHT_ONE + (m ? m->total_frac : 0);
	w[1] = m ? m->total : 0;
}

/*
 * The weight of the first frame that is one too many, the widest first. Where
 * enough are wide anyway, all others are too many.
 */
static void
raise_cut(struct records *r)
{
	size_t n = 0, wide;
	weight *w;

	if (r->keep == 0 || r->normalize || r->n - 1 <= r->keep)
		return;
	w = xreallocn(NULL, r->n, sizeof *w);
	for (size_t i = 1; i < r->n; i++) {
		weight of[2];

		weights_of(r, i, of);
		if (of[0] + of[1] < r->least)
			w[n++] = of[0] + of[1];
	}
	wide = r->n - 1 - n;
	r->cut = wide > r->keep ? r->least : kth_largest(w, n, r->keep - wide);
	free(w);
}

/* Forgets the names that no frame has any more. */
static void
sweep_names(struct records *r)
{
	struct intern *names = intern_new();
	size_t n = intern_count(r->names);
	uint32_t *to = xreallocn(NULL, n + 1, sizeof *to);

	memset(to, 0xff, n * sizeof *to);
	for (size_t i = 1; i < r->n; i++) {
		uint32_t *id = &to[r->v[i].name];

		if (*id == UINT32_MAX) {
			size_t len;
			const char *p =
			    intern_str(r->names, r->v[i].name, &len);

			*id = intern_id(names, p, len);
		}
		r->v[i].name = *id;
	}
	free(to);
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
	size_t kept = 1;

	records_update(r);
	raise_cut(r);
	for (size_t i = 1; i < r->n; i++) {
		weight w[2];

		weights_of(r, i, w);
		if (records_narrow(r, w))
			continue;
		if (r->more)
			r->more[kept] = r->more[i];
		r->v[kept++] = r->v[i];
	}
	r->n = kept--;
	r->sweep_at = kept * 2 > SWEEP_FIRST ? kept * 2 : SWEEP_FIRST;
	if (intern_bytes(r->names) > r->names_at)
		sweep_names(r);
}

/* The number of a name, in which FRAME_SEMICOLON may stand for a `;`. */
static uint32_t
name_id(struct records *r, const char *name, size_t len)
{
	uint32_t id;
	char *copy;

	if (len == 0) /* as kst-folded(5) writes it */
		return intern_id(r->names, "??", 2);
	if (len > FRAME_NAME_MAX)
		len = FRAME_NAME_MAX;
	if (memchr(name, FRAME_SEMICOLON, len) == NULL)
		return intern_id(r->names, name, len);
	copy = xmemdup0(name, len);
	for (size_t i = 0; i + 1 < len; i++)
		if (copy[i] == FRAME_SEMICOLON && copy[i + 1] == ' ')
			copy[i] = ';';
	id = intern_id(r->names, copy, len);
	free(copy);
	return id;
}

void
records_add(
    struct records *r, const char *name, size_t len, const struct frame *f)
{
	struct frame named = *f;

	if (records_narrow(r, f->total))
		return;
	if (r->n - 1 >= r->sweep_at && r->min_share > 0) {
		r->sweeping = true;
		sweep(r);
		if (records_narrow(r, f->total))
			return;
	}
	r->v = xgrow(r->v, r->n + 1, &r->cap, sizeof *r->v);
	if (r->more && r->more_cap < r->cap) {
		r->more = xreallocn(r->more, r->cap, sizeof *r->more);
		r->more_cap = r->cap;
	}
	named.name = name_id(r, name, len);
	node_set(r->v, &r->more, r->more_cap = r->cap, r->n++, &named);
}

/*
 * Turns the frames, children first, into parents first. Going backwards, each
 * takes the end of what is left of its parent's range.
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
	struct frame root = {0};

	r->sweeping = r->sweeping || r->n - 1 > r->keep;
	if (r->min_share > 0)
		sweep(r);
	sweep_names(r);
	if (r->n >= UINT32_MAX)
		msg_die(EXIT_FAILED, "too many frames");
	t->n = (uint32_t)r->n;
	t->nodes = r->v;
	t->more = r->more;
	root.name = intern_id(r->names, "all", 3);
	memcpy(root.total, r->total, sizeof root.total);
	memcpy(root.self, root_self, sizeof root.self);
	node_set(t->nodes, &t->more, t->n, 0, &root);
	t->nodes[0].end = t->n;
	order_nodes(t);
	t->names = r->names;
	r->names = NULL;
	r->v = NULL;
	r->more = NULL;
	r->n = r->cap = 0;
	return t;
}
