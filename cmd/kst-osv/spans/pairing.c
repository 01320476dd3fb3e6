/* SPDX-License-Identifier: ISC */
/* Decides which begin a record ends, and puts spans within their frames. */
#include "spans/tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Frames of backtraces ----------------------------------------------------- */

static void
put_name(struct osv_threads *t, struct osv_track *tr, const struct moment *m,
    enum event_kind kind, struct tp name)
{
	const struct event_args none = {0};
	struct moment at = *m;

	/* the span's own event says it if the time was raised */
	if (at.time < tr->last)
		at.time = tr->last;
	track_put(t, tr, &at, kind, &name, &none);
}

/*
 * Writes the frames that the span around it lacks: begins from the root on,
 * ends from the leaf on.
 */
static void
put_frames(struct osv_threads *t, struct osv_track *tr, const struct moment *m,
    enum event_kind kind, const struct open_span *o)
{
	static const char hex[] = "0123456789abcdef";
	char name[20], *const end = name + sizeof name;
	uint32_t n = o->n_frames - o->shared;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t v = o->frames[kind == EVENT_BEGIN ? n - 1 - i : i];
		char *p = end;

		do
			*--p = hex[v & 15];
		while ((v >>= 4) != 0);
		*--p = 'x';
		*--p = '0';
		put_name(t, tr, m, kind,
		    (struct tp){.name = p, .len = (size_t)(end - p)});
	}
}

/* Writes the CPU as the root frame, where that is asked for. */
static void
put_cpu(struct osv_threads *t, struct osv_track *tr, const struct moment *m,
    enum event_kind kind, const struct open_span *o)
{
	struct tp tp = {0};
	char name[16];

	if (!t->opt->by || o != tr->open)
		return;
	tp.name = name;
	tp.len = (size_t)snprintf(name, sizeof name, "cpu%" PRIu32, o->cpu);
	put_name(t, tr, m, kind, tp);
}

/* How many frames from the root on the two have in common. */
static uint32_t
n_common(const struct open_span *o, const struct moment *m)
{
	uint32_t n = 0,
		 most = o->n_frames < m->n_frames ? o->n_frames : m->n_frames;

	while (n < most &&
	       o->frames[o->n_frames - 1 - n] == m->frames[m->n_frames - 1 - n])
		n++;
	return n;
}

/* The frames of the innermost open span begin. */
static void
frames_begin(
    struct osv_threads *t, struct osv_track *tr, const struct moment *m)
{
	struct open_span *o = &tr->open[tr->n_open - 1];

	put_cpu(t, tr, m, EVENT_BEGIN, o);
	if (m->n_frames == 0)
		return;
	o->frames = xreallocn(NULL, m->n_frames, sizeof *m->frames);
	memcpy(o->frames, m->frames, m->n_frames * sizeof *m->frames);
	o->n_frames = m->n_frames;
	if (tr->n_open > 1)
		o->shared = n_common(o - 1, m);
	put_frames(t, tr, m, EVENT_BEGIN, o);
}

/* Those of a span whose end was written end. */
static void
frames_end(struct osv_threads *t, struct osv_track *tr, const struct moment *m,
    struct open_span *o)
{
	put_frames(t, tr, m, EVENT_END, o);
	if (t->opt->backtrace)
		put_cpu(t, tr, m, EVENT_END, o);
	free(o->frames);
}

/* Pairing ------------------------------------------------------------------ */

/* Ends the innermost span, whose end was not recorded. */
static void
put_lost_end(
    struct osv_threads *t, struct osv_track *tr, const struct moment *m)
{
	const struct event_args a = {.repaired = true};
	struct open_span *o = &tr->open[--tr->n_open];

	track_put(t, tr, m, EVENT_END, &t->tps->tp[o->tp], &a);
	frames_end(t, tr, m, o);
}

/* How many open spans are within X: 0 for the innermost; -1 if X is closed. */
static int
depth_of(const struct osv_track *tr, uint32_t tp)
{
	for (uint32_t i = tr->n_open; i-- > 0;)
		if (tr->open[i].tp == tp)
			return (int)(tr->n_open - 1 - i);
	return -1;
}

static void
push(struct osv_track *tr, uint32_t tp, uint32_t cpu)
{
	if (tr->n_open == OPEN_MAX) {
		free(tr->open[0].frames);
		memmove(
		    tr->open, tr->open + 1, (OPEN_MAX - 1) * sizeof *tr->open);
		tr->n_open--;
	}
	*xpush(tr->open, tr->n_open, tr->cap) =
	    (struct open_span){.tp = tp, .cpu = cpu};
}

/* Closes the n innermost spans, whose ends were not recorded. */
static void
close_lost(
    struct osv_threads *t, struct osv_track *tr, const struct moment *m, int n)
{
	for (; n > 0; n--) {
		put_lost_end(t, tr, m);
		t->n->no_end++;
	}
}

static struct osv_track *
first_track(struct osv_threads *t, uint32_t thread)
{
	uint32_t n = t->threads[thread].first;

	if (n == NONE)
		n = track_new(t, thread);
	return &t->tracks[n];
}

/*
 * The track for a begin or instant: of several, one where X is not open,
 * preferably the last one seen on this CPU, then an idle one.
 */
static struct osv_track *
track_in(struct osv_threads *t, const struct moment *m, bool begin)
{
	struct osv_thread *th = &t->threads[m->thread];
	struct osv_track *best = first_track(t, m->thread);
	int best_score = -1;
	uint32_t n;

	th = &t->threads[m->thread];
	if (th->n_tracks == 1 && (!begin || depth_of(best, m->tp) < 0))
		return best;
	for (n = th->first; n != NONE; n = t->tracks[n].next) {
		struct osv_track *tr = &t->tracks[n];
		int score = (tr->cpu == m->cpu) * 2 + (tr->n_open == 0);

		/* on another CPU and busy: another thread */
		if ((begin && depth_of(tr, m->tp) >= 0) ||
		    score <= best_score || (begin && score == 0))
			continue;
		best = tr;
		best_score = score;
	}
	if (best_score >= 0)
		return best;
	if (th->n_tracks == SHARED_MAX) {
		close_lost(t, best, m, depth_of(best, m->tp) + 1);
		return best;
	}
	t->n->shared += th->n_tracks == 1;
	n = track_new(t, m->thread);
	return &t->tracks[n];
}

/* The track whose open X this record ends; *depth < 0 if there is none. */
static struct osv_track *
track_of_end(struct osv_threads *t, const struct moment *m, int *depth)
{
	uint32_t x = t->tps->tp[m->tp].base, n;
	struct osv_track *best = first_track(t, m->thread);
	int best_score = -1;

	*depth = -1;
	for (n = t->threads[m->thread].first; n != NONE;
	     n = t->tracks[n].next) {
		struct osv_track *tr = &t->tracks[n];
		int d = depth_of(tr, x);
		int score = d < 0 ? -1 : (d == 0) * 2 + (tr->cpu == m->cpu);

		if (score <= best_score)
			continue;
		best = tr;
		best_score = score;
		*depth = d;
	}
	return best;
}

static void
end(struct osv_threads *t, const struct moment *m)
{
	struct open_span *o = NULL;
	struct osv_track *tr;
	int depth;

	tr = track_of_end(t, m, &depth);
	tr->cpu = m->cpu;
	if (depth < 0) {
		t->n->no_begin++;
	} else {
		close_lost(t, tr, m, depth);
		o = &tr->open[--tr->n_open];
	}
	if (t->tps->tp[m->tp].role == ROLE_WAIT_RET)
		waits_end(t, tr, m);
	track_put_end(t, tr, m);
	if (o)
		frames_end(t, tr, m, o);
}

/* A begin that the log shows to have an end. */
static void
begin(struct osv_threads *t, const struct moment *m)
{
	struct osv_track *tr = track_in(t, m, true);

	tr->cpu = m->cpu;
	push(tr, m->tp, m->cpu);
	if (t->opt->backtrace)
		frames_begin(t, tr, m);
	track_put_in(t, tr, m, EVENT_BEGIN);
	if (t->tps->tp[m->tp].role == ROLE_WAIT)
		waits_begin(t, tr, m);
}

void
pairing_put(struct osv_threads *t, const struct moment *m)
{
	const struct tp *tp = &t->tps->tp[m->tp];
	struct osv_track *tr;

	if (tp->role > ROLE_WAIT_RET)
		waits_note(t, m);
	if (!tp->selected)
		return;
	if (tp->kind != TP_ENTRY) {
		end(t, m);
	} else if (tp->state == TP_TIMED) {
		begin(t, m);
	} else {
		tr = track_in(t, m, false);
		tr->cpu = m->cpu;
		track_put_in(t, tr, m, EVENT_INSTANT);
	}
}

/* The load of a track, if there is one, ends. */
static void
end_load(struct osv_threads *t, struct osv_track *tr, const struct moment *m)
{
	const struct event_args none = {0};

	if (tr->n_open > 0)
		track_put(t, tr, m, EVENT_END,
		    &t->tps->tp[tr->open[--tr->n_open].tp], &none);
}

void
pairing_put_load(struct osv_threads *t, const struct moment *m)
{
	const struct event_args none = {0};
	struct osv_track *tr = first_track(t, m->thread);

	end_load(t, tr, m);
	push(tr, m->tp, m->cpu);
	track_put(t, tr, m, EVENT_BEGIN, &t->tps->tp[m->tp], &none);
}

void
pairing_end(struct osv_threads *t)
{
	const struct moment m = {.time = t->end};

	if (t->waits)
		waits_finish(t, &m);
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		struct osv_track *tr = &t->tracks[i];

		if (t->opt->cpu_load)
			end_load(t, tr, &m);
		t->n->open += tr->n_open;
		if (!t->opt->backtrace && !t->waits)
			tr->n_open = 0;
		while (tr->n_open > 0)
			put_lost_end(t, tr, &m);
		tr->last = 0;
	}
	t->end = 0;
}
