/* SPDX-License-Identifier: ISC */
/* The lines of a log: whose they are, and by which rules they are read. */
#include "console.h"

#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "names/rules.h"
#include "trace/signs.h"

/* What rules make of the line, in c->text; false if that says nothing. */
static bool
apply(struct console *c, struct rules *rules)
{
	c->text.len = 0;
	buf_add(&c->text, c->line.p, c->line.len);
	if (rules_apply(rules, &c->text) & RULE_LIMIT)
		fault_say(&c->faults[TOO_MUCH], &c->in,
		    "a pattern needs too many steps on '%s'",
		    msg_text(c->line.p, c->line.len));
	return bytes_starts(c->text.p, c->text.len, "[kst-");
}

/* Whether a stack may begin with what rules made of the line. */
static bool
is_first(const struct buf *b)
{
	return bytes_starts(b->p, b->len, "[kst-about") ||
	       bytes_starts(b->p, b->len, "[kst-begin") ||
	       bytes_starts(b->p, b->len, "[kst-ignore");
}

/* The rules that read the line, into c->text; NULL: none, or too many. */
static struct format *
find_format(struct console *c, const struct stream *s)
{
	struct format *found = NULL;

	if (s->format && (apply(c, s->format->rules) || s->ignored))
		return s->format;
	for (struct format *f = c->formats; f < c->formats + c->n; f++) {
		if (!apply(c, f->rules) || !(c->named || is_first(&c->text)))
			continue;
		if (found) {
			fault_say(&c->faults[MANY_RULES], &c->in,
			    "'%s' fits rules %s and %s: choose with --rules",
			    msg_text(c->line.p, c->line.len), found->name,
			    f->name);
			return NULL;
		}
		found = f;
	}
	if (found)
		apply(c, found->rules);
	return found;
}

/* The stream of that key, in place of the one unused for longest. */
static struct stream *
find_stream(struct console *c, const char *key, size_t len)
{
	struct stream *s = c->streams, *end = s + STREAMS_MAX, *old = s;

	for (; s < end && !bytes_is(key, len, s->key); s++)
		old = s->used < old->used ? s : old;
	if (s == end) {
		s = old;
		stack_end(c, s);
		memcpy(s->key, key, len);
		s->key[len] = 0;
	}
	return s;
}

/*
 * Takes the prefix off the line: rules erased it, or made it `[kst-line cpu=1
 * tid=2 time=12.3]`. Without that, the line belongs to the stream of the last.
 */
static struct stream *
take_prefix(struct console *c)
{
	const struct buf *b = &c->text;
	bool found = apply(c, c->prefix);
	const char *p = b->p, *end = p + b->len, *time, *stop;
	size_t len;

	if (found && (time = memmem(p, b->len, " time=", 6)) != NULL &&
	    (stop = memchr(time, ']', (size_t)(end - time))) != NULL) {
		len = (size_t)(time - p);
		c->last = find_stream(c, p, len < KEY_MAX ? len : KEY_MAX);
		c->time.len = 0;
		buf_add(&c->time, time + 6, (size_t)(stop - time) - 6);
		p = stop + 1;
	}
	c->line.len = 0;
	buf_add(&c->line, p, (size_t)(end - p));
	c->last->used = c->lines;
	return c->last;
}

static void
take_line(struct console *c)
{
	struct stream *s = take_prefix(c);
	struct format *f = find_format(c, s);

	if (f == NULL && c->line.len > 0)
		s->ended = false;
	if (f)
		stack_take(c, s, f);
	else if (s->format && c->line.len > 0 &&
		 ++s->gap > (s->begun || s->n ? GAP_LINES : HEAD_LINES))
		stack_end(c, s);
}

const char *
log_read(void *console, struct in *in)
{
	struct console *c = console;
	unsigned file_no = in->file_no;
	uint64_t before = c->stacks;
	struct trace_line t;
	const char *line;
	size_t len;

	if (look_unpacker(in->p, (size_t)(in->end - in->p)))
		return "no stacks found";
	c->last = find_stream(c, "", 0);
	while (in_more(in, file_no) && in_next(in, &line, &len)) {
		c->lines++;
		trace_read(&c->reader, line, len, &t);
		c->line.len = 0;
		buf_add(&c->line, t.text, t.len);
		if (t.len <= LINE_TEXT)
			take_line(c);
	}
	for (size_t i = 0; i < STREAMS_MAX; i++)
		stack_end(c, &c->streams[i]);
	c->time.len = 0;
	return c->stacks > before ? NULL : "no stacks found";
}
