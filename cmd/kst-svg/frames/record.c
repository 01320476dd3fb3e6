/* SPDX-License-Identifier: ISC */
/* Frames that are complete, and the tree that is made of them in place. */
#include "frames/record.h"

#include <stdlib.h>
#include <string.h>

#include "set/intern.h"
#include "base/msg.h"
#include "frames/tree.h"
#include "base/xalloc.h"

/* Frames between two sweeps, and bytes of names between two of theirs. */
enum { SWEEP_FIRST = 1 << 14, NAMES_FIRST = 1 << 20 };

void
records_init(struct records *r)
{
	r->tree = xcalloc(1, sizeof *r->tree);
	r->tree->names = intern_new();
	r->tree->nodes = xgrow(NULL, 1, &r->cap, sizeof *r->tree->nodes);
	r->tree->n = 1;
	r->sweeping = r->keep == 0;
	r->sweep_at = r->keep > SWEEP_FIRST ? r->keep : SWEEP_FIRST;
	r->names_at = NAMES_FIRST;
}

void
records_done(struct records *r)
{
	tree_free(r->tree);
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

/* Whether a frame of that weight is left out for sure. */
static bool
is_narrow(const struct records *r, const weight w[2])
{
	return r->sweeping && width_of(r, w) < r->least;
}

/* Forgets the names that no frame has any more. */
static void
sweep_names(struct records *r)
{
	struct tree *t = r->tree;
	struct intern *names = intern_new();
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
	free(to);
	intern_free(t->names);
	t->names = names;
	r->names_at = intern_bytes(names) * 2;
	if (r->names_at < NAMES_FIRST)
		r->names_at = NAMES_FIRST;
}

/* Drops the frames that have become too narrow. */
static void
sweep(struct records *r)
{
	struct tree *t = r->tree;
	uint32_t kept = 1;

	r->least = width_of(r, r->total) * r->min_share;
	for (uint32_t i = 1; i < t->n; i++) {
		const weight w[2] = {tree_total(t, i, 0), tree_total(t, i, 1)};

		if (is_narrow(r, w))
			continue;
		if (t->at)
			t->at[kept] = t->at[i];
		if (t->more)
			t->more[kept] = t->more[i];
		t->nodes[kept++] = t->nodes[i];
	}
	t->n = kept--;
	r->sweep_at =
	    (size_t)kept * 2 > SWEEP_FIRST ? (size_t)kept * 2 : SWEEP_FIRST;
	if (intern_bytes(t->names) > r->names_at)
		sweep_names(r);
}

void
records_add(
    struct records *r, const char *name, size_t len, const struct frame *f)
{
	struct tree *t = r->tree;
	struct frame named = *f;
	size_t cap = r->cap;

	if (is_narrow(r, f->total))
		return;
	if (t->n - 1 >= r->sweep_at && r->min_share > 0) {
		r->sweeping = true;
		sweep(r);
		if (is_narrow(r, f->total))
			return;
	}
	if (t->n == UINT32_MAX)
		msg_die(EXIT_FAILED, "too many frames");
	t->nodes = xgrow(t->nodes, (size_t)t->n + 1, &r->cap, sizeof *t->nodes);
	if (cap < r->cap && t->at)
		t->at = xreallocn(t->at, r->cap, sizeof *t->at);
	if (cap < r->cap && t->more)
		t->more = xreallocn(t->more, r->cap, sizeof *t->more);
	named.name = frame_name(t->names, name, len, &r->renamed);
	tree_set(t, r->cap, t->n++, &named);
}

/* The parent of a frame is the next one that is one less deep. */
static void
find_parents(struct tree *t)
{
	uint32_t depth_max = 0, *last;

	for (uint32_t i = 1; i < t->n; i++)
		if (t->nodes[i].depth > depth_max)
			depth_max = t->nodes[i].depth;
	last = xcalloc((size_t)depth_max + 1, sizeof *last);
	for (uint32_t i = t->n; i-- > 1;) {
		uint32_t depth = t->nodes[i].depth;

		t->nodes[i].end = last[depth - 1];
		last[depth] = i;
	}
	free(last);
}

struct tree *
records_tree(struct records *r, const weight root_self[2], bool by_name)
{
	struct tree *t = r->tree;
	struct frame root = {.total = {r->total[0], r->total[1]},
	    .self = {root_self[0], root_self[1]}};

	if (r->sweeping) {
		sweep(r);
		sweep_names(r);
	}
	root.name = intern_id(t->names, "all", 3);
	intern_seal(t->names);
	tree_set(t, t->n, 0, &root);
	find_parents(t);
	tree_arrange(t, by_name);
	r->tree = NULL;
	if (r->renamed && by_name) {
		struct tree *apart = t;

		t = tree_merge(apart, false);
		t->shares_names = false;
		apart->shares_names = true;
		tree_free(apart);
	}
	return t;
}
