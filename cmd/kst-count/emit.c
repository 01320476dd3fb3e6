/* SPDX-License-Identifier: ISC */
#include "emit.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "io/out.h"
#include "text/events.h"

enum { OWN = 0, MADE = '~' }; /* what an event's ARGS are */

static void
put(const struct events *e, uint64_t time, uint32_t track, char kind,
    struct piece name, int args)
{
	char digits[20];

	out_put(digits, event_u64(digits, time));
	out_puts(e->by_stack ? "\tstack#" : "\tCPU#");
	out_put(digits, event_u64(digits, track));
	out_putc('\t');
	out_putc(kind);
	out_putc('\t');
	out_put(name.p, name.len);
	if (args != OWN) {
		out_putc('\t');
		out_putc((char)args);
	}
	out_putc('\n');
}

static void
put_span(const struct events *e, uint64_t time, uint32_t track, char kind,
    uint32_t span, int args)
{
	static const struct piece trap = {"<signal handler called>", 23};
	const bool both = e->span[span].kind == SPAN_TRAP;

	if (both && kind == 'B')
		put(e, time, track, kind, trap, args);
	put(e, time, track, kind, e->name[span], args);
	if (both && kind == 'E')
		put(e, time, track, kind, trap, args);
}

static void
put_away(const struct events *e, uint64_t time, uint32_t track, char kind)
{
	put(e, time, track, kind, (struct piece){"[away]", 6}, OWN);
}

/* Ends all but the first n spans. */
static void
close_spans(struct events *e, uint64_t time, uint32_t track, size_t n, int args)
{
	struct open_track *t = &e->track[track];

	while (t->n > n)
		put_span(e, time, track, 'E', t->span[--t->n], args);
}

/*
 * Begins what is open in `span` and not on the track; the innermost one with
 * the given ARGS, others were open before.
 */
static void
open_spans(
    struct events *e, uint64_t time, uint32_t track, uint32_t span, int args)
{
	struct open_track *t = &e->track[track];
	const size_t from = t->n, to = e->depth[span];

	e->any |= from < to;
	t->span = xgrow(t->span, to, &t->cap, sizeof *t->span);
	for (size_t i = to; i > from; i--, span = e->span[span].parent)
		t->span[i - 1] = span;
	for (; t->n < to; t->n++)
		put_span(e, time, track, 'B', t->span[t->n],
		    t->n + 1 < to ? MADE : args);
}

/* From what was open on the track to `span`. */
static void
move(struct events *e, const struct record *r, uint32_t track)
{
	struct open_track *t = &e->track[track];
	const bool fresh = r->flags & RECORD_FRESH;
	uint32_t s = r->span;
	size_t n;

	while (e->depth[s] > t->n)
		s = e->span[s].parent;
	n = e->depth[s];
	while (n > 0 && t->span[n - 1] != s) {
		s = e->span[s].parent;
		n--;
	}
	if (fresh && n > 0 && n == e->depth[r->span])
		n--; /* the same again */
	close_spans(e, r->time, track, n, OWN);
	open_spans(e, r->time, track, r->span, fresh ? OWN : MADE);
}

/* Another track executes from now on. */
static void
leave(struct events *e, uint64_t time)
{
	struct open_track *t;

	if (e->running == NO_TRACK || e->track[e->running].n == 0)
		return;
	t = &e->track[e->running];
	put_away(e, time, e->running, 'B');
	t->away = true;
}

/* It was seen: what is open on it when records begin, but not this call. */
static void
begin_track(struct events *e, uint64_t time, uint32_t track, uint32_t span)
{
	const uint64_t begin = e->head.begin;

	e->track[track].seen = true;
	open_spans(e, begin, track, span, MADE);
	if (e->track[track].n == 0 || begin == time)
		return;
	put_away(e, begin, track, 'B');
	e->track[track].away = true;
}

/* A CPU has changed to another stack, or a stack is a new one. */
static void
change_stack(struct events *e, const struct record *r, uint32_t track)
{
	struct open_track *t = &e->track[track];

	if (e->by_stack ? (r->flags & RECORD_BORN) : t->stack != r->stack)
		close_spans(e, r->time, track, 0, MADE);
	t->stack = r->stack;
}

/* All that is said of the time before has been taken. */
static void
begin(struct events *e)
{
	e->begun = true;
	for (uint32_t i = 0; i < e->n_tracks; i++)
		if (i == e->running || (!e->by_stack && e->track[i].before))
			begin_track(e,
			    i == e->running ? e->head.begin : e->head.end, i,
			    e->track[i].before);
}

void
emit_record(struct events *e, const struct record *r)
{
	const uint32_t track = e->by_stack ? r->stack : r->cpu;
	struct open_track *t = xitem_zeroed(e->track, track, e->cap_tracks);
	const bool fresh = r->flags & RECORD_FRESH;

	e->n_tracks = track < e->n_tracks ? e->n_tracks : track + 1;
	if (r->flags & RECORD_BEFORE) {
		t->before = r->span;
		t->stack = r->stack;
		e->running = track;
		return;
	}
	if (!e->begun)
		begin(e);
	if (!t->seen && t->before == 0) {
		t->before = r->flags & RECORD_BORN ? 0
			    : fresh		   ? e->span[r->span].parent
						   : r->span;
		t->stack = r->stack;
	}
	if (e->running != track)
		leave(e, r->time);
	if (!t->seen)
		begin_track(e, r->time, track, t->before);
	if (t->away)
		put_away(e, r->time, track, 'E');
	t->away = false;
	e->running = track;
	change_stack(e, r, track);
	move(e, r, track);
}

void
emit_end(struct events *e)
{
	if (!e->begun)
		begin(e);
	for (uint32_t i = 0; i < e->n_tracks; i++) {
		if (e->track[i].away)
			put_away(e, e->head.end, i, 'E');
		close_spans(e, e->head.end, i, 0, MADE);
		free(e->track[i].span);
	}
	free(e->track);
}
