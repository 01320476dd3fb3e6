/* SPDX-License-Identifier: ISC */
/*
 * The frames of the last stack are open until one comes without them.
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
	struct buf text; /* the last stack */
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
	size_t up = o->f.depth - 1;
	size_t start = up ? b->open[up - 1].end + 1 : 0;

	begins_at(b, up, o->f.at);
	records_add(&b->rec, b->text.p + start, o->end - start, &o->f);
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
		close_frame(b, h);
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
			o->f.total[k] = b->rec.total[k] - o->f.total[k];
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

	if (b->sorted && shared == was && shared < len && !at_end && was > 0)
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

	*o = (struct open){end, {.depth = (uint32_t)b->n_open, .at = at}};
	memcpy(o->f.total, b->rec.total, sizeof o->f.total);
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
	size_t was = b->text.len, shared, n;
	weight at = place	? *place * WEIGHT_ONE
		    : b->sorted ? 0
				: b->rec.total[0] + b->rec.total[1];

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
	buf_add(&b->text, stack + shared, len - shared);
	if (len)
		open_frames(b, at);
	begins_at(b, b->n_open, at);
	for (int k = 0; k < 2; k++) {
		weight *self =
		    len ? b->open[b->n_open - 1].f.self : b->root_self;

		self[k] += w[k];
		b->rec.total[k] += w[k];
	}
	return BUILD_OK;
}

struct tree *
build_tree(struct build *b, bool by_name)
{
	if (b->any) {
		close_open(b, 0, 0);
		drop_held(b, 0, 0);
	}
	return records_tree(&b->rec, b->root_self, by_name);
}
