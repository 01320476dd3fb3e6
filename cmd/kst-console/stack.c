/* SPDX-License-Identifier: ISC */
/* From what rules made of a log's lines to stacks of trace text. */
#include "console.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "io/out.h"
#include "names/rules.h"

/* The value of a key; of no bytes if it is missing. */
static struct piece
get(const char *p, size_t len, const char *key)
{
	struct piece v = {"", 0};

	if (len > 0)
		trace_meta_get(p, len, key, &v.p, &v.len);
	return v;
}

/* Takes the next `[kst-WORD key=value ...]` off the text; false: none. */
static bool
next_item(struct piece *text, struct piece *item)
{
	const char *end = text->p + text->len, *p;
	bool quoted = false;

	p = text->len ? memmem(text->p, text->len, "[kst-", 5) : NULL;
	if (p == NULL)
		return false;
	item->p = p;
	for (; p < end && (quoted || *p != ']'); p++)
		quoted ^= *p == '"';
	p += p < end;
	item->len = (size_t)(p - item->p);
	*text = (struct piece){p, (size_t)(end - p)};
	return true;
}

/* Adds an item to others, which come before it. */
static void
add_item(struct buf *b, struct piece t)
{
	if (b->len < ITEMS_TEXT)
		buf_add(b, t.p, t.len);
}

/* Adds a value between two texts, if there is one. */
static void
add(struct buf *b, const char *before, struct piece v, const char *after)
{
	if (v.len == 0)
		return;
	buf_adds(b, before);
	buf_add(b, v.p, v.len);
	buf_adds(b, after);
}

/* What rules say of a frame. */
struct frame {
	struct piece address, name, source, module, unsure;
};

static void
read_frame(struct piece text, struct frame *f)
{
	const struct {
		const char *key;
		struct piece *to;
	} words[] = {{"name", &f->name}, {"address", &f->address},
	    {"source", &f->source}, {"module", &f->module},
	    {"unsure", &f->unsure}};
	struct piece key, value;

	*f = (struct frame){.name = {"", 0}};
	while (trace_meta_next(&text, &key, &value))
		for (size_t i = 0; i < sizeof words / sizeof *words; i++)
			if (words[i].to->len == 0 &&
			    bytes_is(key.p, key.len, words[i].key)) {
				*words[i].to = value;
				break;
			}
}

/* Moves the last frame to the text of the stack. */
static void
end_frame(struct console *c, struct stream *s)
{
	struct frame f;
	struct buf *b = &s->text;
	char number[TRACE_NUMBER];
	bool is_leaf;

	if (s->frame.p == NULL) /* it never had one */
		return;
	is_leaf = bytes_starts(s->frame.p, s->frame.len, "[kst-leaf");
	read_frame((struct piece){s->frame.p, s->frame.len}, &f);
	s->frame.len = 0;
	if (s->n == 1 && f.address.len > 0 && f.unsure.len == 0 &&
	    bytes_is(f.address.p, f.address.len, s->leaf))
		s->n = b->len = 0; /* some systems' traces begin with it, too */
	if (s->n == 0)
		snprintf(s->leaf, sizeof s->leaf, "%.*s",
		    is_leaf ? (int)f.address.len : 0, f.address.p);
	if (f.unsure.len > 0 && !(c->unsure && f.name.len > 0)) {
		c->unsure_frames++;
	} else if (b->len > STACK_TEXT) {
		fault_say(&c->faults[TOO_LONG], &c->in, "%s",
		    c->faults[TOO_LONG].what);
	} else if (f.name.len + f.address.len > 0) {
		buf_add(b, number, trace_number(s->n++, number));
		add(b, "0x", f.address, " in ");
		add(b, "", f.name.len ? f.name : (struct piece){"??", 2}, "");
		buf_adds(b, f.unsure.len ? "_[?] ()" : " ()");
		add(b, " at ", f.source, "");
		if (f.source.len == 0)
			add(b, " from ", f.module, "");
		buf_addc(b, '\n');
	}
}

/* Writes the lines before a stack's frames. */
static void
put_head(struct console *c, struct stream *s)
{
	struct buf *a = &s->about, *b = &c->head;
	const struct piece kernel = {"kernel", 6};
	struct piece cpu, tid, comm, state, mode;

	if (get(a->p, a->len, "cpu").len + get(a->p, a->len, "tid").len == 0)
		buf_adds(a, s->key);
	cpu = get(a->p, a->len, "cpu");
	tid = get(a->p, a->len, "tid");
	comm = get(a->p, a->len, "comm");
	state = get(a->p, a->len, "state");
	mode = get(a->p, a->len, "mode");
	b->len = 0;
	buf_printf(b, "[kst-capture seq=%" PRIu64, c->stacks++);
	add(b, " time=", get(a->p, a->len, "time"), "");
	buf_adds(b, "]\n");
	if (cpu.len + tid.len + comm.len > 0) {
		if (tid.len == 0)
			tid = (struct piece){"0", 1};
		add(b, "Thread ", tid, " (Thread ");
		add(b, "", tid, ".");
		add(b, "", tid, " ");
		add(b, "(CPU#", cpu, state.len ? "" : ")");
		if (cpu.len > 0)
			add(b, " [", state, "])");
		else
			trace_meta_add(b, comm.p, comm.len);
		add(b, "):\n[kst-process pid=", tid, " name=");
		trace_meta_add(b, comm.p, comm.len);
		add(b, " mode=", mode.len ? mode : kernel, "]\n");
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
	s->n = s->text.len = s->about.len = s->gap = 0;
}

/* Whether the item tells of another stack than the open one. */
static bool
is_other(const struct stream *s, struct piece t)
{
	static const char *const keys[] = {"cpu", "tid", "comm"};

	for (int i = 0; i < 3; i++) {
		struct piece is = get(s->about.p, s->about.len, keys[i]);
		struct piece v = get(t.p, t.len, keys[i]);

		if (is.len && v.len && !bytes_same(is.p, is.len, v.p, v.len))
			return true;
	}
	return false;
}

/* A line that tells of a stack, or begins it. */
static void
begin_stack(struct console *c, struct stream *s, struct format *f,
    struct piece t, bool about)
{
	if (s->format != f || s->begun || (about && is_other(s, t)))
		stack_end(c, s);
	if (s->format == NULL && c->time.len)
		buf_printf(&s->about, "[kst-line time=%s ", buf_str(&c->time));
	s->format = f;
	s->begun = !about;
	s->ended = false;
	add_item(&s->about, t);
}

static void
take_item(struct console *c, struct stream *s, struct format *f, struct piece t)
{
	const char *word = t.p + 5;
	size_t len = 0;

	while (5 + len < t.len && word[len] != ' ' && word[len] != ']')
		len++;
	if (bytes_is(word, len, "end")) {
		stack_end(c, s);
		s->ended = get(t.p, t.len, "after").len > 0;
	} else if (s->ignored) {
		return;
	} else if (bytes_is(word, len, "ignore")) {
		stack_end(c, s);
		s->format = f;
		s->ignored = true;
	} else if (bytes_is(word, len, "about") ||
		   bytes_is(word, len, "begin")) {
		begin_stack(c, s, f, t, *word == 'a');
	} else if (bytes_is(word, len, "forget")) {
		s->frame.len = 0;
	} else if (bytes_is(word, len, "more")) {
		add_item(&s->frame, t);
	} else if (bytes_is(word, len, "frame") ||
		   (bytes_is(word, len, "leaf") && !s->begun)) {
		if (s->format == NULL && (!c->named || s->ended))
			return;
		if (s->format == NULL) /* needs no first line */
			begin_stack(c, s, f, t, true);
		end_frame(c, s);
		c->between += s->n ? s->gap : 0;
		s->gap = 0;
		add_item(&s->frame, t);
		if (*word == 'l') /* user mode, perhaps */
			add_item(&s->about, t);
	}
}

void
stack_take(struct console *c, struct stream *s, struct format *f)
{
	struct piece text = {c->text.p, c->text.len}, t;

	while (next_item(&text, &t))
		take_item(c, s, f, t);
	s->gap = 0;
}

bool
line_apply(struct console *c, struct rules *rules)
{
	c->text.len = 0;
	buf_add(&c->text, c->line.p, c->line.len);
	if (rules_apply(rules, &c->text) & RULE_LIMIT)
		fault_say(&c->faults[TOO_MUCH], &c->in,
		    "a pattern needs too many steps on '%s'",
		    msg_text(c->line.p, c->line.len));
	return bytes_starts(c->text.p, c->text.len, "[kst-");
}

bool
line_take(struct console *c, struct stream *s)
{
	if (!line_apply(c, s->format->rules) && !s->ignored)
		return false;
	stack_take(c, s, s->format);
	return true;
}

bool
line_gap(const struct console *c, struct stream *s)
{
	return c->line.len > 0 &&
	       ++s->gap > (s->begun || s->n ? GAP_LINES : HEAD_LINES);
}
