/* SPDX-License-Identifier: ISC */
/*
 * The frames of the last stack are open until one comes without them.
 *
 * Bytewise order is not the order of a tree walk: `a;F` is followed by `a;F2`
 * (`2` comes before `;`) and that by `a;F;x`. A leaf whose bytes begin the next
 * stack's frame is therefore held back, and joined with the frame if it comes
 * again, as long as stacks come that begin with those bytes.
 */
#include "frames/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "set/intern.h"
#include "base/xalloc.h"
#include "frames/merge.h"
#include "frames/name.h"
#include "frames/sums.h"
#include "opts/opts.h"

struct build {
	const struct svg_opts *o;
	double min_share; /* the least width, of the total; 0 keeps all */
	weight total[2], root_self[2];
	struct buf text; /* the last stack */
	struct open *open;
	size_t n_open, cap_open;
	struct open *held;
	size_t n_held, cap_held;
	/*
	 * The frames that are closed, children before their parent; node 0: the
	 * root. Once there were too many, those narrower than the least share
	 * of the total are dropped. As that only rises, in the end the order in
	 * which frames came makes no difference.
	 */
	struct tree *tree;
	size_t cap, sweep_at, names_at;
	bool sweeping, wants_sums, renamed; /* siblings may have one name */
	double least;  /* the least width when it was swept */
	weight narrow; /* below it without doubt; doubles are slow */
	struct buf name;
	struct sums *sums; /* from the first sweep on; names as in the tree */
};

/* Frames between two sweeps, and bytes of names between two of theirs. */
enum { SWEEP_FIRST = 1 << 14, NAMES_FIRST = 1 << 20 };

static size_t
max(size_t a, size_t b)
{
	return a > b ? a : b;
}

struct build *
build_new(const struct svg_opts *o, size_t keep)
{
	struct build *b = xcalloc(1, sizeof *b);

	b->o = o;
	b->min_share = o->all		  ? 0
		       : o->min_share > 0 ? o->min_share
					  : o->min_px / o->width;
	b->sweeping = keep == 0;
	b->sweep_at = max(keep, SWEEP_FIRST);
	b->names_at = NAMES_FIRST;
	b->tree = xcalloc(1, sizeof *b->tree);
	b->tree->names = intern_new();
	b->tree->nodes = xgrow(NULL, 1, &b->cap, sizeof *b->tree->nodes);
	b->tree->n = 1;
	b->wants_sums = !o->no_script && b->min_share > 0;
	return b;
}

void
build_free(struct build *b)
{
	if (b == NULL)
		return;
	buf_done(&b->text);
	free(b->open);
	free(b->held);
	sums_free(b->sums);
	tree_free(b->tree);
	buf_done(&b->name);
	free(b);
}

/* What a weight is worth on the picture's scale. */
static double
width_of(const struct build *b, const weight w[2])
{
	if (!b->o->normalize || b->total[0] == 0 || b->total[1] == 0)
		return (double)(w[0] + w[1]);
	return (double)w[0] * ((double)b->total[1] / (double)b->total[0]) +
	       (double)w[1];
}

/* Whether a frame of that weight is left out for sure. */
static bool
is_narrow(const struct build *b, const weight w[2])
{
	return b->sweeping &&
	       (w[0] + w[1] < b->narrow || width_of(b, w) < b->least);
}

/* Drops the frames that have become too narrow. */
static void
sweep(struct build *b)
{
	struct tree *t = b->tree;
	uint32_t kept = 1;

	b->sweeping = true;
	b->least = width_of(b, b->total) * b->min_share;
	b->narrow = b->o->normalize || b->least > 1e38 /* nearly 2^128 */
			? 0
			: (weight)(b->least * (1 - 1e-12));
	for (uint32_t i = 1; i < t->n; i++) {
		const weight w[2] = {tree_total(t, i, 0), tree_total(t, i, 1)};

		if (is_narrow(b, w))
			continue;
		if (t->at)
			t->at[kept] = t->at[i];
		if (t->more)
			t->more[kept] = t->more[i];
		t->nodes[kept++] = t->nodes[i];
	}
	t->n = kept--;
	b->sweep_at = max((size_t)kept * 2, SWEEP_FIRST);
	if (b->sums == NULL && intern_bytes(t->names) > b->names_at) {
		intern_free(tree_sweep_names(t, NULL));
		b->names_at = max(intern_bytes(t->names) * 2, NAMES_FIRST);
	}
}

/* The number of the frame's name, below which the open ones lie. */
static uint32_t
name_of(struct build *b, const struct open *o)
{
	size_t up = o->f.depth - 1, len;
	size_t start = up ? b->open[up - 1].end + 1 : 0;
	const char *name = b->text.p + start;

	len = o->end - start;
	if (!frame_is_plain(name, len))
		b->renamed |= frame_text(&name, &len, &b->name);
	return intern_id(b->tree->names, name, len);
}

/* Whether frames have to be dropped. */
static bool
is_full(const struct build *b)
{
	return b->tree->n - 1 >= b->sweep_at && b->min_share > 0;
}

static void
add_frame(struct build *b, const struct open *o)
{
	struct frame named = o->f;

	if (is_full(b))
		sweep(b);
	if (is_narrow(b, named.total))
		return;
	if (b->sums == NULL)
		named.name = name_of(b, o);
	tree_add(b->tree, &b->cap, &named);
}

/* There are too many names: from now on they are told at the end. */
static void
drop_sums(struct build *b)
{
	sums_free(b->sums);
	b->sums = NULL;
	b->wants_sums = false;
	intern_free(tree_sweep_names(b->tree, NULL));
}

static void
open_sum(struct build *b, struct open *o)
{
	o->f.name = name_of(b, o);
	sums_open(b->sums, o);
	if (o->f.name >= SUMS_NAMES_MAX)
		drop_sums(b);
}

/* Frames will be dropped: begins the sums with those that there are. */
static void
begin_sums(struct build *b)
{
	b->sums = xcalloc(1, sizeof *b->sums);
	for (size_t i = 0; i < b->n_held; i++)
		b->held[i].f.name = name_of(b, &b->held[i]);
	for (size_t i = 0; i < b->n_open; i++)
		b->open[i].f.name = name_of(b, &b->open[i]);
	sums_add_tree(b->sums, b->tree, b->open, b->n_open, b->o->reverse);
	sums_mark(b->sums, b->open, b->n_open, b->held, b->n_held);
	if (intern_count(b->tree->names) > SUMS_NAMES_MAX)
		drop_sums(b);
}

/* The frame above the first n open ones begins at that place. */
static void
begins_at(struct build *b, size_t n, weight at)
{
	if (n > 0 && b->open[n - 1].f.at > at)
		b->open[n - 1].f.at = at;
}

/* A frame is complete; the open ones below it are those that called it. */
static void
close_frame(struct build *b, const struct open *o)
{
	begins_at(b, o->f.depth - 1, o->f.at);
	if (b->sums == NULL && b->wants_sums && is_full(b))
		begin_sums(b);
	if (b->sums)
		sums_end(b->sums, o, b->o->reverse);
	add_frame(b, o);
}

/* Closes held leaves of which the next stack does not have all bytes. */
static void
drop_held(struct build *b, uint32_t depth, size_t shared)
{
	while (b->n_held) {
		struct open *h = &b->held[b->n_held - 1];

		if (h->f.depth <= depth && h->end <= shared)
			break;
		close_frame(b, h);
		b->n_held--;
	}
}

/* Closes open frames until `keep` are left. */
static void
close_open(struct build *b, size_t keep, size_t shared)
{
	while (b->n_open > keep) {
		size_t i = b->n_open - 1;
		struct open *o = &b->open[i];

		drop_held(b, o->f.depth, SIZE_MAX);
		for (int k = 0; k < 2; k++)
			o->f.total[k] = b->total[k] - o->f.total[k];
		close_frame(b, o);
		b->n_open = i;
	}
	drop_held(b, (uint32_t)keep + 1, shared);
}

/* Holds the last stack's leaf: the next stack begins with its bytes. */
static void
hold_leaf(struct build *b)
{
	struct open *h = xpush(b->held, b->n_held, b->cap_held);

	*h = b->open[--b->n_open];
	if (b->sums)
		sums_close(b->sums, h);
	memcpy(h->f.total, h->f.self, sizeof h->f.total);
}

/* Closes the frames that the next stack, with that many equal bytes, leaves. */
static void
leave(struct build *b, const char *stack, size_t len, size_t shared)
{
	size_t was = b->text.len, keep;
	bool at_end = was > 0 && len > 0 &&
		      (shared == was || b->text.p[shared] == ';') &&
		      (shared == len || stack[shared] == ';');

	if (!b->o->flamechart && shared == was && shared < len && !at_end &&
	    was > 0)
		hold_leaf(b);
	for (keep = b->n_open; keep > 0; keep--) {
		size_t end = b->open[keep - 1].end;

		if (end < shared || (end == shared && at_end))
			break;
	}
	close_open(b, keep, shared);
}

/* Opens the frame of the stack that ends at `end`, or again the held one. */
static void
open_frame(struct build *b, size_t end, weight at)
{
	struct open *o = xpush(b->open, b->n_open, b->cap_open);
	struct open *h = b->n_held ? &b->held[b->n_held - 1] : NULL;

	*o =
	    (struct open){end, {.depth = (uint32_t)b->n_open, .at = at}, false};
	memcpy(o->f.total, b->total, sizeof o->f.total);
	if (b->sums)
		open_sum(b, o);
	if (h == NULL || h->end != end || h->f.depth != o->f.depth)
		return;
	b->n_held--;
	o->f.at = h->f.at < at ? h->f.at : at;
	for (int k = 0; k < 2; k++) {
		o->f.total[k] -= h->f.self[k];
		o->f.self[k] = h->f.self[k];
	}
}

static void
open_frames(struct build *b, weight at)
{
	const char *p = b->text.p, *end = p + b->text.len, *stop;

	p += b->n_open ? b->open[b->n_open - 1].end + 1 : 0;
	for (; p <= end; p = stop + 1) {
		stop = memchr(p, ';', (size_t)(end - p));
		stop = stop ? stop : end;
		open_frame(b, (size_t)(stop - b->text.p), at);
	}
}

enum build_result
build_add(struct build *b, const char *stack, size_t len, const weight w[2],
    const uint64_t *place)
{
	size_t was = b->text.len;
	size_t shared = bytes_shared(b->text.p, was, stack, len);
	bool sorted = !b->o->flamechart;
	weight at = place    ? *place * WEIGHT_ONE
		    : sorted ? 0
			     : b->total[0] + b->total[1];

	if (sorted && was > 0 &&
	    bytes_cmp(stack + shared, len - shared, b->text.p + shared,
		was - shared) < 0)
		return BUILD_UNSORTED;
	for (int k = 0; k < 2; k++)
		if (b->total[k] + w[k] >= WEIGHT_END)
			return BUILD_OVERFLOW;
	leave(b, stack, len, shared);
	b->text.len = shared;
	buf_add(&b->text, stack + shared, len - shared);
	if (len)
		open_frames(b, at);
	begins_at(b, b->n_open, at);
	for (int k = 0; k < 2; k++) {
		weight *self =
		    len ? b->open[b->n_open - 1].f.self : b->root_self;

		self[k] += w[k];
		b->total[k] += w[k];
	}
	return BUILD_OK;
}

struct tree *
build_tree(struct build *b)
{
	bool by_name = !b->o->flamechart;
	struct tree *t = b->tree, *apart = t;
	struct intern *names = NULL;
	struct frame root = {.total = {b->total[0], b->total[1]},
	    .self = {b->root_self[0], b->root_self[1]}};

	close_open(b, 0, 0);
	if (b->sweeping && b->sums == NULL && b->wants_sums)
		begin_sums(b);
	if (b->sweeping) {
		sweep(b);
		names = tree_sweep_names(t, b->sums ? &b->sums->numbers : NULL);
	}
	root.name = intern_id(t->names, "all", 3);
	intern_seal(t->names);
	tree_set(t, t->n, 0, &root);
	tree_find_parents(t);
	tree_arrange(t, by_name);
	b->tree = NULL;
	if (b->renamed && by_name) {
		t = tree_merge(apart, 0);
		t->shares_names = false;
		apart->shares_names = true;
		tree_free(apart);
	}
	if (b->sums && tree_lost(t) > 0) {
		t->sums = b->sums;
		t->sums->names = names;
		t->sums->least =
		    (double)(b->total[0] + b->total[1]) * b->min_share;
		b->sums = NULL;
	} else {
		intern_free(names);
	}
	return t;
}
