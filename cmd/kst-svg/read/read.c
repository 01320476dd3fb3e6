/* SPDX-License-Identifier: ISC */
/*
 * One line after the other goes to the builder. Two things may turn out only
 * later: that the stacks are not in order, and that two numbers at the end
 * of the lines so far were not two counts. Then reading starts again.
 */
#include "read/read.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "text/folded.h"
#include "io/in.h"
#include "io/fault.h"
#include "base/msg.h"
#include "trace/shape.h"
#include "trace/signs.h"
#include "frames/build.h"
#include "frames/tree.h"

/* Frames of one stack beyond this many are cut off, at the leaf's side. */
enum { DEPTH_MAX = 10000 };

enum { FAULT_BAD, FAULT_DEEP, FAULT_LONG, FAULT_ONE, N_FAULTS };

struct reader {
	const struct svg_opts *o;
	struct lines lines;
	struct build *build;
	struct unsorted *unsorted; /* or NULL: stacks go to the builder */
	struct read_result res;
	struct buf line; /* a copy of one that had to be changed */
	bool overflow;
	uint64_t before; /* lines without a count before the first stack */
	struct fault fault[N_FAULTS];
};

enum again { GO_ON, AGAIN_UNSORTED, AGAIN_PLAIN };

static void
fault(struct reader *r, int kind, const char *text)
{
	if (r->lines.fresh)
		fault_say(&r->fault[kind], &r->lines.in, "%s", text);
}

/*
 * Cuts a stack that is too deep, and says if a name is too long. Short ones
 * need not be looked through.
 */
static void
check_limits(struct reader *r, struct folded_line *f)
{
	const char *end = f->stack + f->len, *stop;
	int n = 0;

	if (f->len <= DEPTH_MAX)
		return;
	for (const char *p = f->stack; p <= end; p = stop + 1) {
		stop = memchr(p, ';', (size_t)(end - p));
		stop = stop ? stop : end;
		if (stop - p > FRAME_NAME_MAX)
			fault(r, FAULT_LONG, "name too long, cut");
		if (++n == DEPTH_MAX && stop < end) {
			fault(r, FAULT_DEEP, "stack too deep, cut");
			f->len = (size_t)(stop - f->stack);
			return;
		}
	}
}

/* The counts that a line has, or how the input has to be read instead. */
static enum again
find_counts(struct reader *r, struct folded_line *f)
{
	bool two = r->res.differential;

	if (two && f->n_counts == 1 && r->o->diff != DIFF_YES)
		return AGAIN_PLAIN;
	if (two && f->n_counts == 1)
		fault(r, FAULT_ONE, "one count, taken as both");
	if (two)
		f->count[1] = f->count[f->n_counts - 1];
	else
		f->count[0] = f->count[f->n_counts - 1];
	f->n_counts = 1 + two;
	if (!two)
		f->len = f->len_if_one;
	return GO_ON;
}

/*
 * A `;` inside of brackets, as in Rust's `[u8; 4]`, is kept apart from those
 * between frames: frame_text() puts it back. Lines with one are rare.
 */
static void
hide_inner(struct reader *r, struct folded_line *f)
{
	const char *p = memchr(f->stack, '[', f->len), *end, *stop;
	char *semi;

	if (p == NULL ||
	    memmem(p, (size_t)(f->stack + f->len - p), "; ", 2) == NULL)
		return;
	r->line.len = 0;
	buf_add(&r->line, f->stack, f->len);
	end = r->line.p + r->line.len;
	for (p = r->line.p; p < end; p = stop + 1) {
		stop = folded_frame_end(p, end);
		while ((semi = memchr(p, ';', (size_t)(stop - p))) != NULL)
			*semi = FRAME_SEMICOLON;
	}
	f->stack = r->line.p;
}

/* Without the frames below the last one that --base names; false: has none. */
static bool
cut_base(const struct svg_opts *o, struct folded_line *f)
{
	const char *p = f->stack, *end = p + f->len, *cut = NULL;

	if (o->base.n == 0)
		return true;
	for (const char *stop; p <= end; p = stop + 1) {
		stop = folded_frame_end(p, end);
		for (size_t i = 0; i < o->base.n; i++)
			if (bytes_is(p, (size_t)(stop - p), o->base.use[i].arg))
				cut = p;
	}
	if (cut) {
		f->len = (size_t)(end - cut);
		f->stack = cut;
	}
	return cut != NULL;
}

/* Multiplies the counts; false: one is beyond 64 bits. */
static bool
scale(struct folded_line *f, double factor)
{
	for (int k = 0; k < f->n_counts && factor != 1; k++) {
		long double v = (long double)weight_of(&f->count[k]) * factor;

		if (v >= (long double)WEIGHT_END)
			return false;
		f->count[k] = weight_count((weight)v);
	}
	return true;
}

static void
say_overflow(struct reader *r)
{
	if (!r->overflow)
		msg("the counts add up to more than 64 bits hold; "
		    "not all are drawn");
	r->overflow = true;
}

static enum again
put_sorted(struct reader *r, const struct folded_line *f)
{
	weight w[2] = {weight_of(&f->count[0]), 0};
	enum build_result result;

	if (f->n_counts == 2)
		w[1] = weight_of(&f->count[1]);
	result = build_add(r->build, f->stack, f->len, w, NULL);
	if (result == BUILD_OVERFLOW)
		say_overflow(r);
	return result == BUILD_UNSORTED ? AGAIN_UNSORTED : GO_ON;
}

static void
take_sum(void *reader, const char *stack, size_t len, const weight w[2],
    uint64_t place)
{
	struct reader *r = reader;

	if (build_add(r->build, stack, len, w, &place) == BUILD_OVERFLOW)
		say_overflow(r);
}

/*
 * A stack is read: one message for all lines before the first. If there is
 * none, what the file looks like says more than its lines.
 */
static void
say_before(struct reader *r)
{
	struct fault *f = &r->fault[FAULT_BAD];

	if (r->before == 0)
		return;
	fault_say(f, &r->lines.in, "lines without a count before it: %" PRIu64,
	    r->before);
	f->n += r->before - 1;
	r->before = 0;
}

static enum again
put_stack(struct reader *r, struct folded_line *f)
{
	if (!cut_base(r->o, f))
		return GO_ON;
	r->res.n_stacks++;
	if (!scale(f, r->o->factor)) {
		say_overflow(r);
		return GO_ON;
	}
	hide_inner(r, f);
	check_limits(r, f);
	if (r->unsorted == NULL)
		return put_sorted(r, f);
	if (unsorted_add(
		r->unsorted, f->stack, f->len, f->count, f->n_counts) != 0)
		say_overflow(r);
	return GO_ON;
}

static enum again
put_line(struct reader *r, const char *line, size_t len)
{
	struct folded_line f;
	enum again again;

	switch (folded_parse(line, len, &f)) {
	case FOLDED_BLANK:
		if (!failures_read(&r->res.failures, line, len))
			trailer_read(&r->res.trailer, line, len);
		return GO_ON;
	case FOLDED_BAD:
		if (r->res.n_stacks == 0)
			r->before += r->lines.fresh;
		else
			fault(r, FAULT_BAD, "no count at the end of the line");
		return GO_ON;
	case FOLDED_STACK:
		say_before(r);
		break;
	}
	if (r->res.n_stacks == 0)
		r->res.differential = r->o->diff == DIFF_YES ||
				      (r->res.differential && f.n_counts == 2);
	/* they are known to be in order, or it does not matter */
	r->lines.last_pass = (r->res.unsorted || r->o->flamechart) &&
			     (!r->res.differential || r->o->diff == DIFF_YES);
	again = find_counts(r, &f);
	return again == GO_ON ? put_stack(r, &f) : again;
}

/* From the table into the tree. */
static void
build_unsorted(struct reader *r)
{
	if (unsorted_frames(r->unsorted) > r->o->keep_frames) {
		build_free(r->build);
		r->build = build_new(r->o, 0);
	}
	unsorted_give(r->unsorted, r->o->reverse, take_sum, r);
}

/* Reads all lines for the tree. */
static enum again
read_tree(struct reader *r)
{
	enum again again = GO_ON;
	const char *line;
	size_t len;

	r->res.n_stacks = 0;
	r->res.trailer = (struct trailer){0};
	r->res.failures.n = 0;
	r->build = build_new(r->o, r->o->keep_frames);
	r->unsorted = r->res.unsorted ? unsorted_new() : NULL;
	while (again == GO_ON && lines_next(&r->lines, &line, &len))
		again = put_line(r, line, len);
	if (again == GO_ON && r->unsorted)
		build_unsorted(r);
	unsorted_free(r->unsorted);
	return again;
}

/* Trace text ----------------------------------------------------------------
 */

static void
take_folded(
    void *reader, const char *stack, size_t len, const struct count *count)
{
	struct folded_line f = {
	    .stack = stack, .len = len, .n_counts = 1, .count = {*count}};

	put_stack(reader, &f);
}

/* Its stacks may be in another order after --base. */
static void
read_trace(struct reader *r)
{
	r->build = build_new(r->o, r->o->keep_frames);
	if (r->o->reverse || r->o->base.n)
		r->unsorted = unsorted_new();
	r->res.differential = false;
	r->lines.fresh = true; /* faults are said at the end */
	r->res.failed =
	    !trace_give(&r->lines.in, &r->res.trailer, take_folded, r);
	if (r->unsorted)
		build_unsorted(r);
	unsorted_free(r->unsorted);
}

/* Folded text: again as long as its order or its counts are other ones. */
static void
read_lines(struct reader *r)
{
	struct read_result *res = &r->res;
	enum again again;

	while ((again = read_tree(r)) != GO_ON) {
		if (lines_rewind(&r->lines) != 0) {
			res->failed = true;
			return;
		}
		build_free(r->build);
		if (again == AGAIN_UNSORTED)
			res->unsorted = true;
		else
			res->differential = false;
	}
}

/* What the input may be if it is not, or hardly, folded text. */
static void
say_kind(const struct reader *r, const struct signs *begin)
{
	const uint64_t stacks = r->res.n_stacks;

	if (begin->len && (stacks == 0 || r->fault[FAULT_BAD].n > stacks ||
			      look_unpacker(begin->text, begin->len)))
		signs_say(begin, stacks ? "most lines are not folded text"
					: "no stacks found");
	else if (stacks == 0)
		msg("there are no stacks in the input");
}

struct read_result
read_folded(const struct svg_opts *o, char **operands, int n)
{
	struct reader r = {.o = o,
	    .res = {.differential = o->diff != DIFF_NO, .unsorted = o->reverse},
	    .fault = {{"line without a count", 0}, {"stack too deep", 0},
		{"name too long", 0}, {"line with one count", 0}}};
	struct read_result *res = &r.res;
	struct signs begin = {0};

	lines_init(&r.lines, operands, n);
	if (in_fill(&r.lines.in, 1) && shape_is_trace(&r.lines.in)) {
		read_trace(&r);
	} else {
		signs_look(&begin, &r.lines.in);
		read_lines(&r);
	}
	res->tree = build_tree(r.build);
	build_free(r.build);
	res->differential &= res->n_stacks > 0;
	failures_finish(&res->failures, NULL);
	if (trailer_mixed(&res->trailer)) {
		msg("the input has counts of different units, which do not "
		    "add up");
		res->failed = true;
	}
	if (fault_sum(r.fault, N_FAULTS) || r.lines.failed ||
	    in_failed(&r.lines.in) || r.overflow)
		res->failed = true;
	lines_done(&r.lines);
	buf_done(&r.line);
	say_kind(&r, &begin);
	res->failed |= res->n_stacks == 0;
	return *res;
}
