/* SPDX-License-Identifier: ISC */
/* Lines in, clean lines out; the shape stays what it was. */
#include "clean.h"
#include "base/fault.h"
#include "base/msg.h"

#include <string.h>

#include "text/folded.h"
#include "base/in.h"
#include "names.h"
#include "base/out.h"
#include "text/shape.h"
#include "text/trace.h"

void
clean_init(struct clean *c)
{
	c->faults[CLEAN_BAD_LINE].what = "line that is no folded stack";
	c->faults[CLEAN_DEEP].what = "stack that is too deep for rules";
	c->faults[CLEAN_LIMIT].what = "name that is too much for a pattern";
}

/* Writes the frames that were collected, numbered from 0. */
static void
put_stack(const struct clean *c)
{
	for (size_t i = 0; i < c->stack.n; i++) {
		const struct memo_entry *n = c->stack.frames[i];

		out_printf("#%-2zu ", i);
		out_put(memo_result(n), n->len);
		out_putc('\n');
	}
}

/* Applies the rules to the stack that was collected, and writes it. */
static void
end_stack(struct clean *c)
{
	c->in_stack = false;
	if (c->stack.n == 0)
		return;
	c->was_dropped = !stack_apply(&c->stack, true, c->trim_unknown);
	if (c->was_dropped)
		c->dropped++;
	else
		put_stack(c);
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

/* Where no stack holds names; *n is one, or NULL, which may be forgotten. */
static void
trim_names(struct clean *c, struct memo_entry **n)
{
	if (names_trim(c->names))
		c->prev = *n = NULL;
}

static void
begin_stack(struct clean *c, struct memo_entry **n)
{
	end_stack(c);
	trim_names(c, n);
	c->in_stack = true;
	c->was_dropped = c->too_deep = false;
	c->stacks++;
}

static void take_line(struct clean *c, struct in *in, struct trace_line *t);

static void
say_too_deep(struct clean *c, struct in *in)
{
	fault_say(&c->faults[CLEAN_DEEP], in,
	    "a stack of more than %d frames, or with too long names, is left "
	    "without rules for stacks",
	    STACK_MAX);
}

/* A stack becomes too deep: what was collected goes out as it is. */
static void
give_up_rules(struct clean *c, struct in *in)
{
	say_too_deep(c, in);
	put_stack(c);
	c->stack.n = 0;
	c->too_deep = true;
}

static inline void
keep_frame(struct clean *c, struct in *in, const char *head, size_t head_len,
    const struct memo_entry *n)
{
	c->frames++;
	if (c->by_stack && !c->too_deep &&
	    (c->stack.n == STACK_MAX || names_are_large(c->names)))
		give_up_rules(c, in);
	if (c->by_stack && !c->too_deep)
		c->stack.frames[c->stack.n++] = n;
	else
		put_frame(head, head_len, n);
}

/* The name of a frame's text; says so when a pattern did not come to an end. */
static struct memo_entry *
name_of(struct clean *c, struct in *in, const char *p, size_t len, bool gdb)
{
	uint64_t limits = names_limits(c->names);
	struct memo_entry *n = names_get(c->names, p, len, gdb);

	if (names_limits(c->names) != limits)
		fault_say(&c->faults[CLEAN_LIMIT], in,
		    "a pattern needs too many steps on '%s'", msg_text(p, len));
	return n;
}

static void
take_frame(struct clean *c, struct in *in, struct trace_line *t)
{
	const char *p = t->frame;
	size_t len = t->frame_len;
	struct memo_entry *n;

	if (len > MEMO_ADDRESS && memo_at_address(p)) {
		p += MEMO_ADDRESS;
		len -= MEMO_ADDRESS;
	}
	n = names_find(c->names, p, len, true);
	if (n == NULL && trace_is_other(&c->reader, t)) {
		take_line(c, in, t);
		return;
	}
	if (!c->in_stack || t->number <= c->last_number)
		begin_stack(c, &n);
	else if (c->stack.n == 0)
		trim_names(c, &n);
	c->last_number = t->number;
	if (n == NULL)
		n = name_of(c, in, p, len, true);
	if (c->prev)
		c->prev->next = n;
	c->prev = n;
	keep_frame(c, in, t->text, (size_t)(t->frame - t->text), n);
}

/* Frames of the stack that follow each other as they did last time. */
static inline void
take_known_frames(struct clean *c, struct in *in)
{
	struct memo_entry *n;
	const char *head;

	while ((n = memo_next_frame(in, c->prev, &c->last_number, &head))) {
		c->prev = n;
		keep_frame(c, in, head, 4, n);
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

static void
take_line(struct clean *c, struct in *in, struct trace_line *t)
{
	if (t->kind == TRACE_FRAME)
		take_frame(c, in, t);
	else
		take_other(c, t);
}

void
clean_trace(struct clean *c, struct in *in)
{
	unsigned file = in->file_no;
	const char *name = in_name(in), *line;
	uint64_t before = c->stacks;
	struct trace_line t;
	size_t len;

	while (in_more(in, file)) {
		in_next(in, &line, &len);
		trace_read_raw(&c->reader, line, len, &t);
		take_line(c, in, &t);
		if (t.kind == TRACE_FRAME && c->prev)
			take_known_frames(c, in);
	}
	end_stack(c);
	names_trim(c->names);
	shape_say_none(name, c->stacks - before);
}

/* One blank between two counts, none behind the last. */
static void
put_counts(const struct folded_line *f)
{
	char text[40];

	for (int i = 0; i < f->n_counts; i++) {
		out_putc(' ');
		out_put(text, count_text(&f->count[i], text));
	}
	out_putc('\n');
}

/* Cleans the frames one by one, which no depth is too much for. */
static void
put_each_frame(struct clean *c, struct in *in, const struct folded_line *f)
{
	const char *p = f->stack, *end = p + f->len;

	while (p <= end) {
		const char *stop = folded_frame_end(p, end);
		const struct memo_entry *n =
		    name_of(c, in, p, (size_t)(stop - p), false);

		if (p != f->stack)
			out_putc(';');
		out_put(memo_result(n), n->len);
		names_trim(c->names);
		c->frames++;
		p = stop + 1;
	}
	put_counts(f);
}

/* The stack's frames for the rules; false when they are too many. */
static bool
collect_folded(struct clean *c, struct in *in, const struct folded_line *f)
{
	const char *p = f->stack, *end = p + f->len;

	c->stack.n = 0;
	while (p <= end) {
		const char *stop = folded_frame_end(p, end);

		if (c->stack.n == STACK_MAX || names_are_large(c->names))
			return false;
		c->stack.frames[c->stack.n++] =
		    name_of(c, in, p, (size_t)(stop - p), false);
		p = stop + 1;
	}
	return true;
}

static void
take_folded(struct clean *c, struct in *in, const struct folded_line *f)
{
	c->stacks++;
	if (!c->by_stack) {
		put_each_frame(c, in, f);
		return;
	}
	if (!collect_folded(c, in, f)) {
		say_too_deep(c, in);
		put_each_frame(c, in, f);
		return;
	}
	c->frames += c->stack.n;
	if (!stack_apply(&c->stack, false, c->trim_unknown)) {
		c->dropped++;
		return;
	}
	for (size_t i = 0; i < c->stack.n; i++) {
		const struct memo_entry *n = c->stack.frames[i];

		if (i)
			out_putc(';');
		out_put(memo_result(n), n->len);
	}
	put_counts(f);
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
			take_folded(c, in, &f);
			break;
		case FOLDED_BAD:
			fault_say(&c->faults[CLEAN_BAD_LINE], in,
			    "no folded stack: '%s'", msg_text(line, len));
			break;
		case FOLDED_BLANK:
			break;
		}
		names_trim(c->names);
	}
	c->stack.n = 0;
}
