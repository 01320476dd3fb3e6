/* SPDX-License-Identifier: ISC */
/* Folding of folded text: the sum of equal lines. */

#include "profile/profile.h"
#include "base/bytes.h"
#include "io/fault.h"
#include "base/msg.h"
#include "profile/frame_name.h"
#include "set/intern.h"
#include "text/folded.h"
#include "io/in.h"
#include "io/out.h"
#include "names/name.h"
#include "profile/table.h"
#include "base/xalloc.h"

/* The number of a name; what is equal to a clean one is clean. */
static uint32_t
name_id(struct fold *f, const char *p, size_t len)
{
	uint32_t id = intern_find(f->table->names, p, len);

	if (id != UINT32_MAX)
		return id;
	if (f->o->plain && len > 2 && p[0] == '_')
		return fold_plain(f, p, len);
	if (f->o->merge_unknown && name_address(p, len) == len)
		return table_name(f->table, "??", 2);
	return table_any_name(f->table, p, len);
}

/*
 * The names of a stack's frames. Successive lines begin alike: frames within
 * the first `same` bytes, which are equal to the last line's, are taken over.
 */
static bool
split(struct fold *f, const char *p, const char *end, size_t same,
    const char *last)
{
	const char *from = p;
	size_t n = 0;

	if (p == end) {
		f->n_frames = 0;
		return true;
	}
	for (; n < f->n_frames; n++) { /* frames that are equal */
		const char *stop = folded_frame_end(p, end);

		if ((size_t)(stop - from) >= same || last[stop - from] != ';')
			break;
		p = stop + 1;
	}
	for (; p <= end; n++) {
		const char *stop = folded_frame_end(p, end);

		if (n == FRAMES_MAX)
			return false;
		*xitem(f->frames, n, f->frames_cap) =
		    name_id(f, p, (size_t)(stop - p));
		p = stop + 1;
	}
	f->n_frames = n;
	return true;
}

static void
put_sum(const struct fold *f)
{
	if (f->n_sorted == 0)
		return;
	out_put(f->last.p, f->last.len);
	out_putc(' ');
	count_put(&f->sum);
	out_putc('\n');
}

/* A line of sorted text; -1 if the sum would not fit. */
static int
add_sorted(
    struct fold *f, const struct folded_line *l, const struct count *count)
{
	int c = bytes_cmp(l->stack, l->len_if_one, f->last.p, f->last.len);

	f->stacks++;
	if (f->n_sorted && c < 0)
		msg_die(EXIT_FAILED, "the input changed while it was read");
	if (count_add(&f->table->total, count) != 0)
		return -1;
	if (f->n_sorted && c == 0)
		return count_add(&f->sum, count);
	put_sum(f);
	f->n_sorted++;
	f->last.len = 0;
	buf_add(&f->last, l->stack, l->len_if_one);
	f->sum = *count;
	return 0;
}

static int
add_unsorted(struct fold *f, struct in *in, const struct folded_line *l,
    const struct count *count)
{
	size_t same =
	    bytes_shared(l->stack, l->len_if_one, f->last.p, f->last.len);

	if (!split(f, l->stack, l->stack + l->len_if_one, same, f->last.p)) {
		fault_say(&f->faults[FAULT_DEEP], in,
		    "a stack has more than %d frames and is left out",
		    FRAMES_MAX);
		f->n_frames = 0;
		f->last.len = 0;
		return 0;
	}
	f->last.len = 0;
	buf_add(&f->last, l->stack, l->len_if_one);
	f->stacks++;
	return table_add(f->table, f->frames, f->n_frames, count);
}

static void
take_line(struct fold *f, struct in *in, const struct folded_line *l)
{
	const struct count *count = &l->count[l->n_counts - 1];

	f->folded_lines++;
	if (l->n_counts == 1)
		f->one_count_lines++;
	if ((f->sorted ? add_sorted(f, l, count)
		       : add_unsorted(f, in, l, count)) != 0)
		fault_say(&f->faults[FAULT_OVERFLOW], in,
		    "the sum of this stack exceeds 64 bits");
}

uint64_t
fold_folded(void *fold, struct in *in)
{
	struct fold *f = fold;
	uint64_t before = f->folded_lines;
	unsigned file = in->file_no;
	struct fault *bad = &f->faults[FAULT_BAD_LINE];
	struct folded_line l;
	int kind;
	uint64_t trailers = 0;

	f->last.len = 0;
	f->n_frames = 0;
	while ((kind = folded_next(in, file, bad, &l)) >= 0) {
		if (kind == FOLDED_STACK && f->o->differential &&
		    l.n_counts != 2)
			fault_say(bad, in, "not two counts: '%s'",
			    msg_text(l.line, l.line_len));
		else if (kind == FOLDED_STACK)
			take_line(f, in, &l);
		else if (!failures_read(&f->failures, l.line, l.line_len))
			trailers +=
			    trailer_read(&f->origin.sum, l.line, l.line_len);
	}
	if (trailers == 0)
		trailer_add_none(&f->origin.sum);
	put_sum(f);
	f->n_frames = 0;
	return f->folded_lines - before + trailers;
}
