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
#include "build.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "intern.h"
#include "msg.h"
#include "tree.h"
#include "xalloc.h"

struct open {
	size_t end;	/* of the frame in the text */
	weight from[2]; /* the total when it was opened */
	weight self[2];
};

struct held {
	size_t end;
	uint32_t depth;
	weight self[2];
};

/*
 * A closed frame; children come before their parent. `at` is what had been
 * counted when it began.
 */
struct record {
	uint32_t name, depth;
	weight at, total[2], self[2];
};

struct build {
	bool sorted, normalize, any;
	bool pruning;	   /* there are too many frames to keep all */
	size_t name_bytes; /* of all records, until then */
	size_t keep_frames;
	double min_share;
	weight total[2], root_self[2];
	weight least, least_of; /* least width, for a total of least_of */
	weight last[2];		/* the weights of the stack given last */
	struct buf text;
	size_t tail_at; /* beyond the text's end: there is no tail */
	struct open *open;
	size_t n_open, cap_open;
	struct held *held;
	size_t n_held, cap_held;
	struct record *rec;
	size_t n_rec, cap_rec, sweep_at;
	struct intern *names;
};

enum { SWEEP_FIRST = 1 << 14, KEEP_BYTES = 8 << 20 };

#define GROW(p, n, cap)                                           \
	do {                                                      \
		if ((n) == (cap)) {                               \
			(cap) = (cap) ? (cap)*2 : 64;             \
			(p) = xreallocn((p), (cap), sizeof *(p)); \
		}                                                 \
	} while (0)

struct build *
build_new(bool sorted, bool normalize, double min_share, size_t keep_frames)
{
	struct build *b = xcalloc(1, sizeof *b);

	b->sorted = sorted;
	b->normalize = normalize;
	b->min_share = min_share;
	b->keep_frames = keep_frames;
	b->pruning = keep_frames == 0;
	b->names = intern_new();
	b->sweep_at = SWEEP_FIRST;
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
	free(b->rec);
	intern_free(b->names);
	free(b);
}

/* The length of the common beginning of two texts of at least n bytes. */
static size_t
common_length(const char *a, const char *b, size_t n)
{
	size_t i = 0;

	for (; i + 32 <= n; i += 32) {
		uint64_t x[4], y[4];

		memcpy(x, a + i, 32);
		memcpy(y, b + i, 32);
		if ((x[0] ^ y[0]) | (x[1] ^ y[1]) | (x[2] ^ y[2]) |
		    (x[3] ^ y[3]))
			break;
	}
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

/* What the total is worth on the picture's scale, see build_new(). */
static double
width_of(const struct build *b, const weight w[2])
{
	if (!b->normalize || b->total[0] == 0 || b->total[1] == 0)
		return (double)w[0] + (double)w[1];
	return (double)w[0] * ((double)b->total[1] / (double)b->total[0]) +
	       (double)w[1];
}

/*
 * Whether a frame is too narrow for the total so far. The limit is worked
 * out anew only when the total has grown by a hundredth, and is then never
 * more than what it will be in the end.
 */
static bool
is_narrow(struct build *b, const weight w[2])
{
	weight total = b->total[0] + b->total[1];

	if (!b->pruning)
		return false;
	if (total - b->least_of > b->least_of >> 7) {
		b->least_of = total;
		b->least = (weight)(width_of(b, b->total) * b->min_share);
	}
	if (b->normalize)
		return width_of(b, w) < width_of(b, b->total) * b->min_share;
	return w[0] + w[1] < b->least;
}

/* Drops the records that have become too narrow, and their names. */
static void
sweep(struct build *b)
{
	struct intern *names = intern_new();
	size_t kept = 0;

	for (size_t i = 0; i < b->n_rec; i++) {
		struct record *r = &b->rec[i];
		const char *p;
		size_t len;

		if (is_narrow(b, r->total))
			continue;
		p = intern_str(b->names, r->name, &len);
		r->name = intern_id(names, p, len);
		b->rec[kept++] = *r;
	}
	b->n_rec = kept;
	b->sweep_at = kept * 2 > SWEEP_FIRST ? kept * 2 : SWEEP_FIRST;
	intern_free(b->names);
	b->names = names;
}

/* A frame is complete: p[0..len) is its name. */
static void
close_frame(struct build *b, const char *p, size_t len, uint32_t depth,
    weight at, const weight total[2], const weight self[2])
{
	struct record *r;

	if (is_narrow(b, total))
		return;
	if (!b->pruning) {
		b->name_bytes += len;
		b->pruning =
		    b->n_rec >= b->keep_frames || b->name_bytes > KEEP_BYTES;
		if (is_narrow(b, total))
			return;
	}
	if (b->pruning && b->n_rec >= b->sweep_at)
		sweep(b);
	GROW(b->rec, b->n_rec, b->cap_rec);
	r = &b->rec[b->n_rec++];
	r->name = intern_id(b->names, p, len);
	r->depth = depth;
	r->at = at;
	for (int k = 0; k < 2; k++) {
		r->total[k] = total[k];
		r->self[k] = self[k];
	}
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
	struct open *f;

	GROW(b->open, b->n_open, b->cap_open);
	f = &b->open[b->n_open++];
	f->end = end;
	b->tail_at = end + 1;
	for (int k = 0; k < 2; k++) {
		f->from[k] = b->total[k] - b->last[k];
		f->self[k] = end == b->text.len ? b->last[k] : 0;
	}
	return f;
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

/* The held leaf that began all stacks since, up to `shared` bytes, is done. */
static void
drop_held(struct build *b, uint32_t depth, size_t shared)
{
	while (b->n_held) {
		struct held *h = &b->held[b->n_held - 1];
		size_t start;

		if (h->depth <= depth && h->end <= shared)
			break;
		start = frame_start(b, h->depth - 1);
		b->n_held--;
		close_frame(b, b->text.p + start, h->end - start, h->depth, 0,
		    h->self, h->self);
	}
}

/* Closes the tail's frames, deepest first: one after the other from behind. */
static void
close_tail(struct build *b)
{
	const weight none[2] = {0, 0};
	const char *text = b->text.p;
	size_t end = b->text.len, n = 1;
	const char *p = text + b->tail_at;
	weight start = b->total[0] + b->total[1] - b->last[0] - b->last[1];

	if (b->tail_at > end)
		return;
	if (is_narrow(b, b->last)) {
		b->tail_at = end + 1;
		return;
	}
	while ((p = memchr(p, ';', (size_t)(text + end - p))) != NULL) {
		n++;
		p++;
	}
	for (const weight *self = b->last;; self = none) {
		const char *semi =
		    memrchr(text + b->tail_at, ';', end - b->tail_at);
		size_t at = semi ? (size_t)(semi - text) + 1 : b->tail_at;

		close_frame(b, text + at, end - at, (uint32_t)(b->n_open + n--),
		    start, b->last, self);
		if (semi == NULL)
			break;
		end = at - 1;
	}
	b->tail_at = b->text.len + 1;
}

/* Closes open frames until `keep` are left. */
static void
close_open(struct build *b, size_t keep, size_t shared)
{
	while (b->n_open > keep) {
		size_t i = b->n_open - 1, start = frame_start(b, i);
		struct open *f = &b->open[i];
		weight total[2];

		drop_held(b, (uint32_t)b->n_open, SIZE_MAX);
		for (int k = 0; k < 2; k++)
			total[k] = b->total[k] - f->from[k];
		close_frame(b, b->text.p + start, f->end - start,
		    (uint32_t)b->n_open, f->from[0] + f->from[1], total,
		    f->self);
		b->n_open = i;
	}
	drop_held(b, (uint32_t)keep + 1, shared);
}

/* The previous stack is one leaf whose bytes begin the next stack's frame. */
static void
hold_leaf(struct build *b)
{
	struct open *f;
	struct held *h;

	open_until(b, b->text.len);
	f = b->tail_at <= b->text.len ? open_frame(b, b->text.len)
				      : &b->open[b->n_open - 1];
	GROW(b->held, b->n_held, b->cap_held);
	h = &b->held[b->n_held++];
	h->end = f->end;
	h->depth = (uint32_t)b->n_open;
	memcpy(h->self, f->self, sizeof h->self);
	b->n_open--;
}

/* The frame that was held comes again, with children. */
static void
join_held(struct build *b)
{
	struct held *h = &b->held[--b->n_held];
	struct open *f;

	open_until(b, h->end);
	f = open_frame(b, h->end);
	for (int k = 0; k < 2; k++) {
		f->from[k] -= h->self[k];
		f->self[k] = h->self[k];
	}
}

/* Ends what the next stack, which shares that many bytes, does not share. */
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
build_add(struct build *b, const char *stack, size_t len, const weight w[2])
{
	size_t was = b->text.len, shared, n;

	n = was < len ? was : len;
	shared = common_length(b->text.p, stack, n);
	if (b->sorted && b->any &&
	    (shared == n ? len < was
			 : (unsigned char)stack[shared] <
			       (unsigned char)b->text.p[shared]))
		return BUILD_UNSORTED;
	for (int k = 0; k < 2; k++)
		if (b->total[k] + w[k] >= WEIGHT_END)
			return BUILD_OVERFLOW;
	if (b->any)
		leave(b, stack, len, shared);
	b->any = true;
	b->text.len = shared;
	buf_add(&b->text, stack + shared, len - shared);
	b->tail_at = b->n_open ? b->open[b->n_open - 1].end + 1 : 0;
	for (int k = 0; k < 2; k++) {
		b->last[k] = w[k];
		b->total[k] += w[k];
		if (len == 0)
			b->root_self[k] += w[k];
		else if (b->tail_at > len)
			b->open[b->n_open - 1].self[k] += w[k];
	}
	if (len == 0)
		b->tail_at = 1;
	else if (b->n_held && b->held[b->n_held - 1].end == shared &&
		 shared < len && stack[shared] == ';')
		join_held(b);
	return BUILD_OK;
}

/*
 * Turns the records, children first, into nodes, parents first. Going
 * backwards, each frame takes the end of what is left of its parent's range.
 */
static void
fill_nodes(const struct build *b, struct tree *t)
{
	uint32_t *size = xreallocn(NULL, b->n_rec + 1, sizeof *size);
	uint32_t *by_depth;

	for (size_t i = 0; i < b->n_rec; i++)
		if (b->rec[i].depth > t->depth_max)
			t->depth_max = b->rec[i].depth;
	by_depth = xcalloc((size_t)t->depth_max + 2, sizeof *by_depth);
	for (size_t i = 0; i < b->n_rec; i++) {
		uint32_t d = b->rec[i].depth;

		size[i] = 1 + by_depth[d + 1];
		by_depth[d + 1] = 0;
		by_depth[d] += size[i];
	}
	by_depth[1] = t->n;
	for (size_t i = b->n_rec; i-- > 0;) {
		const struct record *r = &b->rec[i];
		uint32_t at = by_depth[r->depth] - size[i];
		struct node *n = &t->nodes[at];

		n->name = r->name;
		n->depth = r->depth;
		n->at = r->at;
		n->end = at + size[i];
		memcpy(n->total, r->total, sizeof n->total);
		memcpy(n->self, r->self, sizeof n->self);
		by_depth[r->depth] = at;
		by_depth[r->depth + 1] = n->end;
	}
	free(by_depth);
	free(size);
}

struct tree *
build_tree(struct build *b)
{
	struct tree *t = xcalloc(1, sizeof *t);
	struct node *root;

	if (b->any) {
		close_tail(b);
		close_open(b, 0, 0);
		drop_held(b, 0, 0);
	}
	b->least_of = 0;
	sweep(b);
	if (b->n_rec >= UINT32_MAX)
		msg_die(EXIT_FAILED, "too many frames");
	t->n = (uint32_t)b->n_rec + 1;
	t->nodes = xreallocn(NULL, t->n, sizeof *t->nodes);
	root = &t->nodes[0];
	memset(root, 0, sizeof *root);
	root->name = intern_id(b->names, "all", 3);
	root->end = t->n;
	memcpy(root->total, b->total, sizeof root->total);
	memcpy(root->self, b->root_self, sizeof root->self);
	fill_nodes(b, t);
	t->names = b->names;
	b->names = NULL;
	return t;
}
