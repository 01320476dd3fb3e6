/* SPDX-License-Identifier: ISC */
/* The lines of a log: whose they are, and by which rules they are read. */
#include "console.h"

#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "names/rules.h"
#include "trace/signs.h"

/* The stream of that key, in place of the one unused for longest. */
static struct stream *
find_stream(struct console *c, const char *key, size_t len)
{
	struct stream *s = c->streams, *end = s + STREAMS_MAX, *old = s;

	for (; s < end && !bytes_is(key, len, s->key); s++)
		old = s->used < old->used ? s : old;
	if (s == end) {
		s = old;
		tries_end(c, s);
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
	bool found = line_apply(c, c->prefix);
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

/* Of the only format that there is, frames need no first line. */
static void
take_named(struct console *c, struct stream *s)
{
	if (line_apply(c, c->formats->rules) || s->ignored) {
		stack_take(c, s, c->formats);
		return;
	}
	if (c->line.len > 0)
		s->ended = false;
	if (s->format && line_gap(c, s))
		stack_end(c, s);
}

static void
take_line(struct console *c)
{
	struct stream *s = take_prefix(c);

	if (c->named) {
		take_named(c, s);
		return;
	}
	if (s->format ? line_take(c, s) : tries_take(c, s) && s->format)
		return;
	if (!tries_add(c, s) && s->format && line_gap(c, s))
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
		tries_end(c, &c->streams[i]);
	c->time.len = 0;
	return c->stacks > before ? NULL : "no stacks found";
}
