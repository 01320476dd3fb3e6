/* SPDX-License-Identifier: ISC */
/*
 * A format that waits for its first frame reads each line as if it were alone,
 * in a stream of its own, so others change nothing in what it finds.
 */
#include "console.h"

#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"

static bool
has_frame(const struct stream *s)
{
	return s->n + s->frame.len > 0;
}

/* Whether what rules made of a line has a frame. */
static bool
has_frame_item(const struct buf *b)
{
	return memmem(b->p, b->len, "[kst-frame", 10) != NULL;
}

/* Takes a try away; its buffers stay for a later one. */
static void
remove_try(struct stream *s, struct stream *t)
{
	struct stream gone = *t;

	s->begun |= t->begun; /* to be counted once, whosever it is */
	*t = s->tries[--s->n_tries];
	gone.format = NULL;
	gone.begun = gone.ignored = false;
	gone.n = gone.text.len = gone.about.len = gone.frame.len = gone.gap = 0;
	s->tries[s->n_tries] = gone;
}

/* The stack is that of this try. */
static void
adopt(struct stream *s, struct stream *t)
{
	struct stream own = *s, won = *t;

	*t = (struct stream){
	    .about = own.about, .frame = own.frame, .text = own.text};
	memcpy(won.key, own.key, sizeof won.key);
	won.used = own.used;
	won.tries = own.tries;
	won.n_tries = own.n_tries;
	won.cap_tries = own.cap_tries;
	*s = won;
	while (s->n_tries > 0)
		remove_try(s, &s->tries[s->n_tries - 1]);
	s->begun = won.begun;
}

/* None of them is right: what began is left out. */
static void
give_up(struct console *c, struct stream *s)
{
	while (s->n_tries > 0)
		remove_try(s, &s->tries[s->n_tries - 1]);
	c->empty += s->begun;
	s->begun = false;
}

static void
say_many(struct console *c, const struct format *a, const struct format *b)
{
	fault_say(&c->faults[MANY_RULES], &c->in,
	    "'%s' fits rules %s and %s: choose with --rules",
	    msg_text(c->line.p, c->line.len), a->name, b->name);
}

/*
 * The try that the line is a frame of. NULL: none; or several, of which none
 * stays then.
 */
static struct stream *
find_owner(struct console *c, struct stream *s)
{
	struct stream *owner = NULL;

	for (size_t i = 0; i < s->n_tries; i++) {
		struct stream *t = &s->tries[i];

		if (t->ignored || !line_apply(c, t->format->rules) ||
		    !has_frame_item(&c->text))
			continue;
		if (owner) {
			say_many(c, owner->format, t->format);
			give_up(c, s);
			return NULL;
		}
		owner = t;
	}
	return owner;
}

/* After a line: a try that is alone and has a leaf is the stack. */
static void
settle(struct console *c, struct stream *s)
{
	if (s->n_tries == 0 && s->format == NULL)
		give_up(c, s);
	else if (s->n_tries == 1 && has_frame(s->tries))
		adopt(s, s->tries);
}

/*
 * The last line of a try. A leaf alone is a stack, if no other try has one,
 * too.
 */
static void
end_try(struct console *c, struct stream *s, struct stream *t)
{
	if (has_frame(t)) {
		for (struct stream *u = s->tries; u < s->tries + s->n_tries;
		     u++)
			if (u != t && has_frame(u)) {
				say_many(c, t->format, u->format);
				give_up(c, s);
				return;
			}
		adopt(s, t);
		stack_end(c, s);
		return;
	}
	remove_try(s, t);
}

void
tries_end(struct console *c, struct stream *s)
{
	while (s->n_tries > 0)
		end_try(c, s, s->tries);
	if (s->format)
		stack_end(c, s);
	else
		give_up(c, s);
}

/* The line for each of them; those that have ended with it go. */
static bool
take_each(struct console *c, struct stream *s)
{
	uint64_t empty = c->empty;
	bool taken = false;

	for (size_t i = s->n_tries; i-- > 0 && i < s->n_tries;) {
		struct stream *t = &s->tries[i];

		if (line_take(c, t))
			taken = true;
		else if (line_gap(c, t))
			end_try(c, s, t);
		if (i < s->n_tries && t->format == NULL)
			remove_try(s, t);
	}
	if (c->empty > empty)
		c->empty = empty + 1; /* all mean the same stack */
	return taken;
}

bool
tries_take(struct console *c, struct stream *s)
{
	struct stream *owner = find_owner(c, s);
	bool taken;

	if (owner) {
		adopt(s, owner);
		return line_take(c, s);
	}
	taken = take_each(c, s);
	settle(c, s);
	return taken;
}

static bool
is_tried(const struct stream *s, const struct format *f)
{
	for (size_t i = 0; i < s->n_tries; i++)
		if (s->tries[i].format == f)
			return true;
	return false;
}

/* Whether a stack may begin with what rules made of the line. */
static bool
is_first(const struct buf *b)
{
	return bytes_starts(b->p, b->len, "[kst-about") ||
	       bytes_starts(b->p, b->len, "[kst-begin") ||
	       bytes_starts(b->p, b->len, "[kst-ignore");
}

static bool
may_begin(struct console *c, const struct stream *s, const struct format *f)
{
	return !is_tried(s, f) && line_apply(c, f->rules) && is_first(&c->text);
}

/*
 * How many formats' stacks may begin with the line, but for those that are
 * tried. It can be their first frame, too: two of these in owner.
 */
static size_t
count_first(struct console *c, const struct stream *s, struct format *owner[2])
{
	size_t n = 0;

	owner[0] = owner[1] = NULL;
	for (struct format *f = c->formats; f < c->formats + c->n; f++)
		if (may_begin(c, s, f)) {
			n++;
			if (has_frame_item(&c->text))
				owner[owner[0] != NULL] = f;
		}
	return n;
}

static void
add_try(struct console *c, struct stream *s, struct format *f)
{
	struct stream *t = xitem_zeroed(s->tries, s->n_tries, s->cap_tries);

	memcpy(t->key, s->key, sizeof t->key);
	s->n_tries++;
	stack_take(c, t, f);
	if (t->format == NULL) /* the line ends it, too */
		remove_try(s, t);
}

bool
tries_add(struct console *c, struct stream *s)
{
	struct format *owner[2];

	if (count_first(c, s, owner) == 0)
		return false;
	if (s->format)
		stack_end(c, s);
	if (owner[0])
		give_up(c, s);
	if (owner[1]) {
		say_many(c, owner[0], owner[1]);
	} else if (owner[0]) {
		line_apply(c, owner[0]->rules);
		stack_take(c, s, owner[0]);
	} else {
		for (struct format *f = c->formats; f < c->formats + c->n; f++)
			if (may_begin(c, s, f))
				add_try(c, s, f);
		settle(c, s);
	}
	return true;
}
