/* SPDX-License-Identifier: ISC */
/*
 * The listing: a line for each span, when it ends. In the order of begins all
 * lines are kept until the input has ended, since a span around all others ends
 * last.
 */
#include "span.h"

#include <stdlib.h>
#include <string.h>

#include "base/port.h"
#include "base/xalloc.h"
#include "io/out.h"

/* A name is not indented further, however deep it is. */
enum { INDENT_MAX = 64 };

/* A line that is kept. */
struct list_line {
	uint64_t order, end;
	size_t at, len, dur; /* in list.text: the line, and its duration */
	uint32_t track;
	bool cut; /* its end was not read */
};

/* Nanoseconds as seconds with nine places. */
static void
put_seconds(struct buf *b, uint64_t ns)
{
	char s[24];
	size_t n = event_u64(s, ns / 1000000000);
	uint64_t frac = ns % 1000000000;

	s[n] = '.';
	for (size_t i = n + 9; i > n; frac /= 10)
		s[i--] = (char)('0' + frac % 10);
	buf_add(b, s, n + 10);
}

static void
put_result(struct buf *b, const struct event_args *a)
{
	if (a->mark) {
		buf_addc(b, ' ');
		buf_addc(b, (char)a->mark);
	}
	if (a->len) {
		buf_addc(b, ' ');
		buf_add(b, a->text, a->len);
	}
}

static void
put_call(struct buf *b, const struct name *name, const struct span *s)
{
	buf_add(b, name->p, name->len);
	if (s->in.mark == EVENT_TEXT && s->kind != EVENT_LOST) {
		buf_addc(b, '(');
		if (s->no_begin)
			buf_addc(b, '?');
		else
			buf_add(b, s->in.text, s->in.len);
		buf_addc(b, ')');
	} else {
		put_result(b, &s->in);
	}
	if (s->no_end)
		buf_adds(b, " = ?");
	put_result(b, &s->result);
	if (s->no_end || s->no_begin || s->in.repaired || s->result.repaired)
		buf_adds(b, " ~");
	buf_addc(b, '\n');
}

void
list_span(void *ctx, const struct span *s)
{
	struct list *l = ctx;
	struct buf *b = &l->text;
	struct list_line line = {.order = s->order,
	    .end = s->start + s->dur,
	    .at = b->len,
	    .track = (uint32_t)(s->track - l->p->tracks),
	    .cut = s->no_end || s->result.repaired};
	char digits[20];

	if (l->order == LIST_END && l->n++ >= l->most)
		return;
	put_seconds(b, s->start);
	buf_addc(b, '\t');
	buf_add(b, s->track->name, s->track->name_len);
	buf_addc(b, '\t');
	buf_add(b, digits, event_u64(digits, s->depth));
	buf_addc(b, '\t');
	line.dur = b->len;
	if (s->kind == EVENT_END && !s->no_begin)
		put_seconds(b, s->dur);
	else
		buf_addc(b, '-');
	buf_addc(b, '\t');
	if (l->order == LIST_BEGIN)
		for (uint32_t i = 0; i < s->depth && i < INDENT_MAX; i++)
			buf_adds(b, "  ");
	put_call(b, &l->p->names[s->name], s);
	if (l->order == LIST_END) {
		out_put(b->p, b->len);
		b->len = 0;
		return;
	}
	line.len = b->len - line.at;
	*xpush(l->lines, l->n_lines, l->cap_lines) = line;
}

static int
compare_lines(const void *pa, const void *pb, void *unused)
{
	const struct list_line *a = pa, *b = pb;

	(void)unused;
	return a->order < b->order ? -1 : a->order > b->order;
}

void
list_end(struct list *l)
{
	port_sort(l->lines, l->n_lines, sizeof *l->lines, compare_lines, NULL);
	for (size_t i = 0; i < l->n_lines && i < l->most; i++) {
		const struct list_line *line = &l->lines[i];
		size_t head = line->dur - line->at;
		/* it is open where its track ends */
		bool open =
		    line->cut && line->end >= l->p->tracks[line->track].last;

		out_put(l->text.p + line->at, head);
		if (open)
			out_putc('>');
		out_put(l->text.p + line->dur, line->len - head);
	}
	free(l->lines);
	buf_done(&l->text);
}
