/* SPDX-License-Identifier: ISC */
/* Lines in, clean lines out; the shape stays what it was. */
#include "clean.h"

#include <string.h>

#include "folded.h"
#include "in.h"
#include "names.h"
#include "out.h"
#include "trace.h"

/* Writes the stack that was collected, with its frames numbered anew. */
static void
end_stack(struct clean *c)
{
	c->in_stack = false;
	if (c->stack.n == 0)
		return;
	c->was_dropped = !stack_apply(&c->stack, true, c->trim_unknown);
	if (c->was_dropped)
		c->dropped++;
	for (size_t i = 0; !c->was_dropped && i < c->stack.n; i++) {
		const struct memo_entry *n = c->stack.frames[i];

		out_printf("#%-2zu ", i);
		out_put(memo_result(n), n->len);
		out_putc('\n');
	}
	c->stack.n = 0;
}

/* `#N  ` as it came, and the name. */
static inline void
put_frame(const char *head, size_t head_len, const struct memo_entry *n)
{
	if (out.cap - out.len < head_len + n->len + 1)
		out_room(head_len + n->len + 1);
	memcpy(out.p + out.len, head, head_len);
	out.len += head_len;
	memcpy(out.p + out.len, memo_result(n), n->len);
	out.len += n->len;
	out.p[out.len++] = '\n';
}

static void
begin_stack(struct clean *c)
{
	end_stack(c);
	if (names_trim(c->names))
		c->prev = NULL;
	c->in_stack = true;
	c->was_dropped = false;
	c->stacks++;
}

static void
collect(struct clean *c, const struct memo_entry *n)
{
	c->stack.frames[c->stack.n++] = n;
	if (c->stack.n == STACK_MAX) {
		end_stack(c);
		c->in_stack = true;
		if (names_trim(c->names))
			c->prev = NULL;
	}
}

static void
take_frame(struct clean *c, const struct trace_line *t)
{
	const char *p = t->frame;
	size_t len = t->frame_len;
	struct memo_entry *n;

	if (!c->in_stack || t->number <= c->last_number)
		begin_stack(c);
	c->last_number = t->number;
	c->frames++;
	if (len > MEMO_ADDRESS && memo_at_address(p)) {
		p += MEMO_ADDRESS;
		len -= MEMO_ADDRESS;
	}
	n = names_get(c->names, p, len, true);
	if (c->prev)
		c->prev->next = n;
	c->prev = n;
	if (c->by_stack)
		collect(c, n);
	else
		put_frame(t->text, (size_t)(t->frame - t->text), n);
}

/* Frames of the stack that follow each other as they did last time. */
static inline void
take_known_frames(struct clean *c, struct in *in)
{
	struct memo_entry *n;
	const char *head;

	while ((n = memo_next_frame(in, c->prev, &c->last_number, &head))) {
		c->prev = n;
		c->frames++;
		if (c->by_stack)
			collect(c, n);
		else
			put_frame(head, 4, n);
		if (c->prev == NULL)
			return;
	}
}

static void
take_other(struct clean *c, const struct trace_line *t)
{
	switch (t->kind) {
	case TRACE_OTHER:
		if (t->len)
			c->noise++;
		/* an argument list goes on, or a source line is shown */
		return;
	case TRACE_STOPPED:
		end_stack(c);
		c->truncated++;
		if (c->was_dropped)
			return;
		break;
	default:
		end_stack(c);
		break;
	}
	out_put(t->text, t->len);
	out_putc('\n');
}

void
clean_trace(struct clean *c, struct in *in)
{
	unsigned file = in->file_no;
	struct trace_line t;
	const char *line;
	size_t len;

	while (in_more(in, file)) {
		in_next(in, &line, &len);
		trace_read(&c->reader, line, len, &t);
		if (t.kind != TRACE_FRAME) {
			take_other(c, &t);
			continue;
		}
		take_frame(c, &t);
		if (c->prev)
			take_known_frames(c, in);
	}
	end_stack(c);
	names_trim(c->names);
}

static void
put_folded(struct clean *c, const char *counts, size_t len)
{
	for (size_t i = 0; i < c->stack.n; i++) {
		if (i)
			out_putc(';');
		out_put(
		    memo_result(c->stack.frames[i]), c->stack.frames[i]->len);
	}
	out_putc(' ');
	out_put(counts, len);
	out_putc('\n');
}

/* One blank between two counts, none behind the last. */
static void
tidy_counts(struct buf *b, const struct folded_line *f)
{
	char text[40];

	b->len = 0;
	for (int i = 0; i < f->n_counts; i++) {
		if (i)
			buf_addc(b, ' ');
		buf_add(b, text, count_text(&f->count[i], text));
	}
}

static void
take_folded(struct clean *c, const struct folded_line *f)
{
	const char *p = f->stack, *end = p + f->len;

	c->stack.n = 0;
	c->stacks++;
	while (p <= end && c->stack.n < STACK_MAX) {
		const char *stop = folded_frame_end(p, end);

		c->stack.frames[c->stack.n++] =
		    names_get(c->names, p, (size_t)(stop - p), false);
		c->frames++;
		p = stop + 1;
	}
	if (c->by_stack && !stack_apply(&c->stack, false, c->trim_unknown)) {
		c->dropped++;
		return;
	}
	tidy_counts(&c->scratch, f);
	put_folded(c, c->scratch.p, c->scratch.len);
}

void
clean_folded(struct clean *c, struct in *in)
{
	unsigned file = in->file_no;
	struct folded_line f;
	const char *line;
	size_t len;

	while (in_more(in, file)) {
		in_next(in, &line, &len);
		switch (folded_parse(line, len, &f)) {
		case FOLDED_STACK:
			take_folded(c, &f);
			break;
		case FOLDED_BAD:
			msg_fault(&c->bad, in, "no folded stack: '%s'",
			    msg_text(line, len));
			break;
		case FOLDED_BLANK:
			break;
		}
		names_trim(c->names);
	}
	c->stack.n = 0;
}
