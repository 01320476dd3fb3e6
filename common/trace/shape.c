/* SPDX-License-Identifier: ISC */
/* Tells trace text from folded text. */
#include "trace/shape.h"

#include <ctype.h>
#include <string.h>

#include "text/folded.h"
#include "trace/signs.h"
#include "trace/trace.h"

enum { LOOK_AHEAD = 1 << 16 };

/* A frame as gdb prints it; a comment's `#1 in the list` is not one. */
static bool
is_frame(const struct trace_line *t)
{
	size_t head; /* of `#N  `, which gdb fills up to four bytes */

	if (t->kind != TRACE_FRAME)
		return false;
	head = (size_t)(t->frame - t->text);
	return t->frame[t->frame_len - 1] == ')' ||
	       t->frame[t->frame_len - 1] == '>' || t->number == 0 ||
	       head == (t->number < 10 ? 4u : 3u) + (t->number >= 100) ||
	       memmem(t->frame, t->frame_len, " (", 2);
}

/* A folded line that is longer than the bytes looked at. */
static bool
begins_folded(const char *p, size_t len)
{
	return len >= LOOK_AHEAD && memchr(p, ';', len) &&
	       memchr(p, '\t', len) == NULL && *p != '#';
}

/* A panic's line of return addresses, as old xv6 writes it, is not a name. */
static bool
is_addresses(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && (p[n] == ' ' || isxdigit((unsigned char)p[n])))
		n++;
	return n == len && memchr(p, ' ', len);
}

/* Counts of the lines seen so far. */
struct tally {
	unsigned paths;	 /* `a;b 3` */
	unsigned counts; /* `a 3` */
	unsigned others; /* neither, and not blank or a comment */
};

/* So many lines `a;b 3`, and nothing else, decide without the rest. */
enum { SURE = 8 };

/* What one line tells, or SHAPE_AUTO with the line tallied. */
static enum shape
look(const char *line, size_t len, struct trace_reader *r, struct tally *n)
{
	struct trace_line t;
	struct folded_line f;
	enum folded_kind kind;
	char sep;

	trace_read(r, line, len, &t);
	if (is_frame(&t) || t.kind == TRACE_THREAD || t.kind == TRACE_CAPTURE ||
	    t.kind == TRACE_META || t.kind == TRACE_ROUND)
		return SHAPE_TRACE;
	if (begins_folded(line, len))
		return SHAPE_FOLDED;
	kind = folded_parse(line, len, &f);
	if (kind == FOLDED_BLANK)
		return folded_trailer(line, len, &sep) ? SHAPE_FOLDED
						       : SHAPE_AUTO;
	if (kind == FOLDED_BAD || f.len == 0 || is_addresses(f.stack, f.len) ||
	    memchr(f.stack, '\t', f.len))
		n->others++;
	else if (memchr(f.stack, ';', f.len))
		n->paths++;
	else
		n->counts++;
	return n->paths >= SURE && n->counts + n->others == 0 ? SHAPE_FOLDED
							      : SHAPE_AUTO;
}

/* What one line decides, or SHAPE_AUTO with all lines tallied. */
static enum shape
look_for_sign(struct in *in, struct tally *n)
{
	struct trace_reader r = {0};
	enum shape shape = SHAPE_AUTO;
	size_t seen = 0, have = in_fill(in, 1);

	if (look_unpacker(in->p, have)) /* text in it would not be lines */
		return SHAPE_TRACE;
	while (shape == SHAPE_AUTO && seen < LOOK_AHEAD && seen <= have) {
		const char *nl = memchr(in->p + seen, '\n', have - seen);
		size_t len = nl ? (size_t)(nl - in->p) - seen : have - seen;

		if (nl == NULL && len <= LOOK_AHEAD) {
			size_t more = in_fill(in, have + 1);

			if (more == have && len == 0)
				break;
			if (more > have) {
				have = more;
				continue;
			}
		} else if (nl == NULL) {
			len = LOOK_AHEAD;
		}
		shape = look(in->p + seen, len, &r, n);
		seen += len + 1;
	}
	trace_reader_done(&r);
	return shape;
}

enum shape
shape_detect(struct in *in)
{
	struct tally n = {0};
	enum shape shape = look_for_sign(in, &n);

	if (shape == SHAPE_AUTO)
		shape = 2 * n.paths + n.counts > n.others ? SHAPE_FOLDED
							  : SHAPE_TRACE;
	return shape;
}

bool
shape_is_trace(struct in *in)
{
	struct tally n = {0};

	return look_for_sign(in, &n) == SHAPE_TRACE;
}

bool
shape_read(struct in *in, enum shape shape, shape_reader *trace,
    shape_reader *folded, void *ctx)
{
	struct signs begin;
	bool good = true;

	while (in_fill(in, 1)) {
		enum shape is = shape ? shape : shape_detect(in);

		signs_look(&begin, in);
		if ((is == SHAPE_FOLDED ? folded : trace)(ctx, in) == 0) {
			signs_say(&begin, "no stacks found");
			good = false;
		}
	}
	return good;
}
