/* SPDX-License-Identifier: ISC */
/* From what rules made of a log's lines to stacks of trace text. */
#include "console.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "io/out.h"

static const char *const keys[FIELDS] = {"cpu", "tid", "comm", "state", "time",
    "address", "name", "module", "source", "unsure"};

/* `[kst-WORD key=value ...]` */
struct item {
	const char *p;
	size_t len;
};

/* Takes the next item off the text; false if there is none. */
static bool
next_item(struct item *text, struct item *item)
{
	const char *end = text->p + text->len, *p;
	bool quoted = false;

	p = text->len ? memmem(text->p, text->len, "[kst-", 5) : NULL;
	if (p == NULL)
		return false;
	item->p = p;
	for (; p < end && (quoted || *p != ']'); p++)
		quoted ^= *p == '"';
	item->len = (size_t)(p - item->p);
	*text = (struct item){p, (size_t)(end - p)};
	return true;
}

/* Keeps the item's values; of a frame, also those without text. */
static void
take_values(struct stream *s, struct item t, int from, int end)
{
	const char *v;
	size_t len;

	for (int i = from; i < end; i++)
		if (trace_meta_get(t.p, t.len, keys[i], &v, &len) &&
		    (len > 0 || i >= ADDRESS)) {
			s->field[i].len = 0;
			buf_add(&s->field[i], v, len);
		}
}

static void
forget(struct stream *s, int from)
{
	for (int i = from; i < FIELDS; i++)
		s->field[i].len = 0;
}

/* Adds a value between two texts, if it is known. */
static void
add(struct buf *b, const char *before, struct buf *value, const char *after)
{
	if (value->len)
		buf_printf(b, "%s%s%s", before, buf_str(value), after);
}

/* Moves the last frame to the text of the stack. */
static void
end_frame(struct console *c, struct stream *s)
{
	struct buf *f = s->field, *b = &s->text;
	bool named = f[NAME].len > 0;
	char number[TRACE_NUMBER];

	if (f[UNSURE].len && !(c->unsure && named)) {
		c->unsure_frames++;
	} else if (b->len > STACK_TEXT) {
		fault_say(&c->faults[TOO_LONG], &c->in, "%s",
		    c->faults[TOO_LONG].what);
	} else if (named || f[ADDRESS].len) {
		buf_add(b, number, trace_number(s->n++, number));
		add(b, "0x", &f[ADDRESS], " in ");
		buf_adds(b, named ? buf_str(&f[NAME]) : "??");
		buf_adds(b, f[UNSURE].len ? "_[?] ()" : " ()");
		add(b, " at ", &f[SOURCE], "");
		if (f[SOURCE].len == 0)
			add(b, " from ", &f[MODULE], "");
		buf_addc(b, '\n');
	}
	forget(s, ADDRESS);
}

/* Writes the lines before a stack's frames. */
static void
put_head(struct console *c, struct stream *s)
{
	struct buf *f = s->field, *b = &c->head;
	const char *tid;

	if (f[CPU].len + f[TID].len == 0)
		take_values(
		    s, (struct item){s->key, strlen(s->key)}, CPU, COMM);
	tid = f[TID].len ? buf_str(&f[TID]) : "0";
	b->len = 0;
	buf_printf(b, "[kst-capture seq=%" PRIu64, c->stacks++);
	add(b, " time=", &f[TIME], "");
	buf_adds(b, "]\n");
	if (f[CPU].len + f[TID].len + f[COMM].len) {
		buf_printf(b, "Thread %s (Thread %s.%s ", tid, tid, tid);
		add(b, "(CPU#", &f[CPU], f[STATE].len ? "" : ")");
		if (f[CPU].len)
			add(b, " [", &f[STATE], "])");
		else
			trace_meta_add(b, f[COMM].p, f[COMM].len);
		buf_printf(b, "):\n[kst-process pid=%s name=", tid);
		trace_meta_add(b, f[COMM].p, f[COMM].len);
		buf_adds(b, "]\n");
	}
	out_put(b->p, b->len);
}

void
stack_end(struct console *c, struct stream *s)
{
	if (s->format)
		end_frame(c, s);
	if (s->n > 0) {
		put_head(c, s);
		out_put(s->text.p, s->text.len);
		out_putc('\n');
		s->format->stacks++;
	}
	c->empty += s->n == 0 && s->begun;
	s->format = NULL;
	s->begun = s->ignored = false;
	s->n = s->text.len = s->gap = 0;
	forget(s, 0);
}

/* Whether the item tells of another stack than the open one. */
static bool
is_other(const struct stream *s, struct item t)
{
	const char *v;
	size_t len;

	for (int i = CPU; i <= COMM; i++)
		if (s->field[i].len &&
		    trace_meta_get(t.p, t.len, keys[i], &v, &len) && len > 0 &&
		    !bytes_same(s->field[i].p, s->field[i].len, v, len))
			return true;
	return false;
}

/* A line that tells of a stack, or begins it. */
static void
begin_stack(struct console *c, struct stream *s, struct format *f,
    struct item t, bool about)
{
	if (s->format != f || s->begun || (about && is_other(s, t)))
		stack_end(c, s);
	s->format = f;
	s->begun = !about;
	take_values(s, t, CPU, TIME);
	if (s->field[TIME].len == 0)
		buf_add(&s->field[TIME], c->time.p, c->time.len);
}

static void
take_item(struct console *c, struct stream *s, struct format *f, struct item t)
{
	const char *word = t.p + 5;
	size_t len = 0;

	while (5 + len < t.len && word[len] != ' ')
		len++;
	if (bytes_is(word, len, "end")) {
		stack_end(c, s);
	} else if (s->ignored) {
		return;
	} else if (bytes_is(word, len, "ignore")) {
		stack_end(c, s);
		s->format = f;
		s->ignored = true;
	} else if (bytes_is(word, len, "about") ||
		   bytes_is(word, len, "begin")) {
		begin_stack(c, s, f, t, *word == 'a');
	} else if (bytes_is(word, len, "more")) {
		take_values(s, t, ADDRESS, FIELDS);
	} else if (bytes_is(word, len, "frame") ||
		   (bytes_is(word, len, "leaf") && !s->begun)) {
		if (s->format == NULL && !c->named)
			return;
		if (s->format == NULL) /* needs no first line */
			begin_stack(c, s, f, t, true);
		end_frame(c, s);
		c->between += s->n ? s->gap : 0;
		s->gap = 0;
		take_values(s, t, ADDRESS, FIELDS);
	}
}

void
stack_take(struct console *c, struct stream *s, struct format *f)
{
	struct item text = {c->text.p, c->text.len}, t;

	while (next_item(&text, &t))
		take_item(c, s, f, t);
	s->gap = 0;
}
