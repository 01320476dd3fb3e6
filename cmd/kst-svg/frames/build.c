/* SPDX-License-Identifier: ISC */
/*
 * What is known of the previous stack:
 *
 *      text   root;frame;frame;frame;frame;leaf
 *             |-- open frames -||---- tail ---|
 *                               tail_at
 *
 * Frames are opened only when a later stack shares them; those of the tail
 * were on one stack alone, so that their weight is that stack's, and as long
 * as it is too small nobody needs to look where they begin and end.
 *
 * Bytewise order is not the order of a tree walk: `a;F` is followed by `a;F2`
 * (`2` comes before `;`) and that by `a;F;x`. A leaf whose bytes begin the
 * next stack's frame is therefore held back, and joined with the frame if it
 * comes again; it cannot any more when a stack comes that no longer begins
 * with those bytes.
 */
#include "frames/build.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "frames/record.h"
#include "frames/tree.h"
#include "base/xalloc.h"

/* A frame that is open, or a leaf that is held. */
struct open {
	size_t end; /* in the text */
	/* at: the least place so far; total: of all when it was opened */
	struct frame f;
};

struct build {
	bool sorted, any;
	struct records rec; /* with the total */
	weight root_self[2];
	weight last[2]; /* the weights of the stack given last … */
	weight last_at; /* … and its place */
	struct buf text;
	size_t tail_at; /* beyond the text's end: there is no tail */
	struct open *open;
	size_t n_open, cap_open;
	struct open *held;
	size_t n_held, cap_held;
};

struct build *
build_new(bool sorted, bool normalize, double min_share, size_t keep_frames)
{
	struct build *b = xcalloc(1, sizeof *b);

	b->sorted = sorted;
	b->rec.normalize = normalize;
	b->rec.min_share = min_share;
	b->rec.keep = keep_frames;
	records_init(&b->rec);
	b->tail_at = 1;
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
	records_done(&b->rec);
	free(b);
}

/* A frame is complete: text[start..end) is its name. */
static void
close_frame(struct build *b, size_t start, size_t end, const struct frame *f)
{
	if (!records_narrow(&b->rec, f->total))
		records_add(&b->rec, b->text.p + start, end - start, f);
}

/* The frame above the first n open ones begins at that place. */
static void
begins_at(struct build *b, size_t n, weight at)
{
	if (n > 0 && b->open[n - 1].f.at > at)
		b->open[n - 1].f.at = at;
}

static size_t
frame_start(const struct build *b, size_t i)
{
	return i ? b->open[i - 1].end + 1 : 0;
}

/* Opens the frame of the tail that ends at `end`. */
static struct open *
open_frame(struct build *b, size_t end)
{
	struct open *o = xpush(b->open, b->n_open, b->cap_open);

	o->end = end;
	o->f.depth = (uint32_t)b->n_open;
	o->f.at = b->last_at;
	b->tail_at = end + 1;
	for (int k = 0; k < 2; k++) {
		o->f.total[k] = b->rec.total[k] - b->last[k];
		o->f.self[k] = end == b->text.len ? b->last[k] : 0;
	}
	return o;
}

/* Opens the frames of the tail that end before or at `to`. */
static void
open_until(struct build *b, size_t to)
{
	const char *text = b->text.p;

	while (b->tail_at <= to) {
		const char *semi =
		    memchr(text + b->tail_at, ';', to - b->tail_at);

		if (semi == NULL)
			break;
		open_frame(b, (size_t)(semi - text));
	}
}

/* Closes held leaves that the next stack, by `shared` bytes, does not continue.
 */
static void
drop_held(struct build *b, uint32_t depth, size_t shared)
{
	while (b->n_held) {
		struct open *h = &b->held[b->n_held - 1];

		if (h->f.depth <= depth && h->end <= shared)
			break;
		b->n_held--;
		begins_at(b, h->f.depth - 1, h->f.at);
		close_frame(b, frame_start(b, h->f.depth - 1), h->end, &h->f);
	}
}

/* Closes the tail's frames, deepest first: the last one first. */
static void
close_tail(struct build *b)
{
	struct frame f = {.at = b->last_at,
	    .total = {b->last[0], b->last[1]},
	    .self = {b->last[0], b->last[1]}};
	const char *text = b->text.p, *p;
	size_t end = b->text.len;

	if (b->tail_at > end)
		return;
	if (records_narrow(&b->rec, b->last)) {
		b->tail_at = end + 1;
		return;
	}
	f.depth = (uint32_t)b->n_open + 1;
	for (p = text + b->tail_at;
	     (p = memchr(p, ';', (size_t)(text + end - p))) != NULL; p++)
		f.depth++;
	for (;; f.depth--) {
		const char *semi =
		    memrchr(text + b->tail_at, ';', end - b->tail_at);
		size_t at = semi ? (size_t)(semi - text) + 1 : b->tail_at;

		close_frame(b, at, end, &f);
		if (semi == NULL)
			break;
		end = at - 1;
		f.self[0] = f.self[1] = 0;
	}
	b->tail_at = b->text.len + 1;
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
			o->f.total[k] = b->rec.total[k] - o->f.total[k];
		close_frame(b, frame_start(b, i), o->end, &o->f);
		begins_at(b, i, o->f.at);
		b->n_open = i;
	}
	drop_held(b, (uint32_t)keep + 1, shared);
}

/* Holds the previous stack's leaf: the next stack begins with its bytes. */
static void
hold_leaf(struct build *b)
{
	struct open *h = xpush(b->held, b->n_held, b->cap_held);

	open_until(b, b->text.len);
	*h = b->tail_at <= b->text.len ? *open_frame(b, b->text.len)
				       : b->open[b->n_open - 1];
	memcpy(h->f.total, h->f.self, sizeof h->f.total);
	b->n_open--;
}

/* Opens a held leaf again: the next stack goes through it. */
static void
join_held(struct build *b)
{
	struct open *h = &b->held[--b->n_held], *o;

	open_until(b, h->end);
	o = open_frame(b, h->end);
	if (o->f.at > h->f.at)
		o->f.at = h->f.at;
	for (int k = 0; k < 2; k++) {
		o->f.total[k] -= h->f.self[k];
		o->f.self[k] = h->f.self[k];
	}
}

/* Closes the frames that the next stack, with that many equal bytes, leaves. */
static void
leave(struct build *b, const char *stack, size_t len, size_t shared)
{
	size_t was = b->text.len, keep;
	bool at_end = was > 0 && len > 0 &&
		      (shared == was || b->text.p[shared] == ';') &&
		      (shared == len || stack[shared] == ';');

	open_until(b, shared);
	if (at_end && b->tail_at <= was &&
	    (b->n_open == 0 || b->open[b->n_open - 1].end < shared))
		open_frame(b, shared);
	begins_at(b, b->n_open, b->last_at);
	if (b->sorted && shared == was && shared < len && !at_end && was > 0) {
		hold_leaf(b);
		b->tail_at = was + 1;
	}
	close_tail(b);
	for (keep = b->n_open; keep > 0; keep--) {
		size_t end = b->open[keep - 1].end;

		if (end < shared || (end == shared && at_end))
			break;
	}
	close_open(b, keep, shared);
}

enum build_result
build_add(struct build *b, const char *stack, size_t len, const weight w[2],
    const uint64_t *place)
{
	size_t was = b->text.len, shared, n;

	n = was < len ? was : len;
	shared = bytes_shared(b->text.p, was, stack, len);
	if (b->sorted && b->any &&
	    (shared == n ? len < was
			 : (unsigned char)stack[shared] <
			       (unsigned char)b->text.p[shared]))
		return BUILD_UNSORTED;
	for (int k = 0; k < 2; k++)
		if (b->rec.total[k] + w[k] >= WEIGHT_END)
			return BUILD_OVERFLOW;
	if (b->any)
		leave(b, stack, len, shared);
	b->any = true;
	b->text.len = shared;
	if (len > shared)
		buf_add(&b->text, stack + shared, len - shared);
	b->tail_at = b->n_open ? b->open[b->n_open - 1].end + 1 : 0;
	if (place)
		b->last_at = *place * WEIGHT_ONE;
	else if (!b->sorted)
		b->last_at = b->rec.total[0] + b->rec.total[1];
	for (int k = 0; k < 2; k++) {
		b->last[k] = w[k];
		b->rec.total[k] += w[k];
		if (len == 0)
			b->root_self[k] += w[k];
		else if (b->tail_at > len)
			b->open[b->n_open - 1].f.self[k] += w[k];
	}
	if (len == 0)
		b->tail_at = 1;
	else if (b->n_held && b->held[b->n_held - 1].end == shared &&
		 shared < len && stack[shared] == ';')
		join_held(b);
	return BUILD_OK;
}

struct tree *
build_tree(struct build *b, bool by_name)
{
	if (b->any) {
		close_tail(b);
		close_open(b, 0, 0);
		drop_held(b, 0, 0);
	}
	return records_tree(&b->rec, b->root_self, by_name);
}
