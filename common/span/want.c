/* SPDX-License-Identifier: ISC */
#include "span/want.h"

#include "names/rx.h"
#include "span/pair.h"

enum { KNOWN = 1, FILTER = 2, NOTRACE = 4 };

bool
want_any(const struct want *w)
{
	return range_given(&w->range) || w->min || w->filter || w->notrace;
}

void
want_done(struct want *w)
{
	rx_free(w->filter);
	rx_free(w->notrace);
}

bool
want_skips(
    struct want *w, struct track *t, const struct event *e, uint64_t *now)
{
	const struct range *r = &w->range;

	if (!r->begun)
		range_begin(&w->range, *now);
	t->early = *now < r->from;
	if (*now >= r->to) {
		/* spans that begin too late are left out with their ends */
		if (e->kind == EVENT_BEGIN)
			t->late++;
		else if (e->kind == EVENT_END && t->late)
			t->late--;
		else if (e->kind == EVENT_END && t->depth) {
			*now = r->to;
			return false;
		}
		return true;
	}
	if (e->kind == EVENT_END && t->depth == 0 && r->from > 0)
		return true; /* of a span before the trace began */
	*now = range_cut(r, *now);
	return false;
}

static unsigned
match(struct pair *p, uint32_t name)
{
	const struct want *w = p->want;
	struct name *n = &p->names[name];
	struct buf plain = BUF_INIT;

	if (n->match)
		return n->match;
	event_unescape(&plain, n->p, n->len);
	n->match = KNOWN;
	if (w->filter && rx_match(w->filter, plain.p, plain.len) == 1)
		n->match |= FILTER;
	if (w->notrace && rx_match(w->notrace, plain.p, plain.len) == 1)
		n->match |= NOTRACE;
	buf_done(&plain);
	return n->match;
}

static bool
hidden(const struct want *w, const struct track *t)
{
	return t->outside > 0 || (w->filter && t->inside == 0);
}

uint32_t
want_open(struct pair *p, struct track *t, uint32_t name)
{
	unsigned m = match(p, name);

	t->inside += (m & FILTER) != 0;
	t->outside += (m & NOTRACE) != 0;
	if (hidden(p->want, t)) {
		t->hidden++;
		return pair_inner(t);
	}
	return pair_node(p, t, name);
}

void
want_close(struct pair *p, struct track *t, uint32_t name)
{
	unsigned m = match(p, name);

	t->hidden -= hidden(p->want, t);
	t->inside -= (m & FILTER) != 0;
	t->outside -= (m & NOTRACE) != 0;
}

bool
want_takes(struct pair *p, const struct track *t, struct span *s)
{
	const struct want *w = p->want;
	unsigned m = match(p, s->name);

	if (t->early)
		return false;
	s->depth -= t->hidden;
	if (s->kind == EVENT_LOST)
		return true;
	if (s->kind == EVENT_END && s->dur < w->min)
		return false;
	if (s->kind == EVENT_END && !s->no_begin)
		return !hidden(w, t);
	return t->outside == 0 && !(m & NOTRACE) &&
	       (w->filter == NULL || t->inside > 0 || (m & FILTER));
}
