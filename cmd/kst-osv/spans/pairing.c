/* SPDX-License-Identifier: ISC */
/* Decides which begin a record ends, and puts spans within their frames. */
#include "spans/pairing.h"
#include "spans/waits.h"
#include "spans/tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Frames of backtraces ----------------------------------------------------- */

/*
 * Writes the frames that the span around it lacks: begins from the root on,
 * ends from the leaf on. The span's own event says if the time was raised.
 */
static void
put_frames(struct osv_threads *t, struct osv_track *tr, uint64_t time,
    enum event_kind kind, const struct osv_span *o)
{
	static const char hex[] = "0123456789abcdef";
	char name[18], *const end = name + sizeof name;
	uint32_t n = o->n_frames - o->shared;

	time = time < tr->last ? tr->last : time;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t v = o->frames[kind == EVENT_BEGIN ? n - 1 - i : i];
		char *p = end;

		do
			*--p = hex[v & 15];
		while ((v >>= 4) != 0);
		*--p = 'x';
		*--p = '0';
		track_put(t, tr, time, kind,
		    (struct piece){p, (size_t)(end - p)}, NULL);
	}
}

/* Writes the CPU as the root frame, where that is asked for. */
static void
put_cpu(struct osv_threads *t, struct osv_track *tr, uint64_t time,
    enum event_kind kind, const struct osv_span *o)
{
	char name[16];
	int len;

	if (!t->opt->by || o != tr->open)
		return;
	len = snprintf(name, sizeof name, "cpu%" PRIu32, o->cpu);
	track_put(t, tr, time < tr->last ? tr->last : time, kind,
	    (struct piece){name, (size_t)len}, NULL);
}

/* How many frames from the root on the two have in common. */
static uint32_t
n_common(const struct osv_span *a, const struct osv_span *b)
{
	uint32_t n = 0,
		 most = a->n_frames < b->n_frames ? a->n_frames : b->n_frames;

	while (n < most &&
	       a->frames[a->n_frames - 1 - n] == b->frames[b->n_frames - 1 - n])
		n++;
	return n;
}

/* The frames of the innermost open span begin. */
static void
frames_begin(
    struct osv_threads *t, struct osv_track *tr, const struct osv_record *r)
{
	struct osv_span *o = &tr->open[tr->n_open - 1];

	put_cpu(t, tr, r->time, EVENT_BEGIN, o);
	if (r->n_frames == 0)
		return;
	o->n_frames = (uint32_t)r->n_frames;
	o->frames = xreallocn(NULL, r->n_frames, sizeof *r->frames);
	memcpy(o->frames, r->frames, r->n_frames * sizeof *r->frames);
	if (tr->n_open > 1)
		o->shared = n_common(o - 1, o);
	put_frames(t, tr, r->time, EVENT_BEGIN, o);
}

/* Those of a span whose end was written end. */
static void
frames_end(struct osv_threads *t, struct osv_track *tr, uint64_t time,
    struct osv_span *o)
{
	put_frames(t, tr, time, EVENT_END, o);
	put_cpu(t, tr, time, EVENT_END, o);
	free(o->frames);
}

/* Pairing ------------------------------------------------------------------ */

/* Ends the innermost span, whose end was not recorded. */
static void
put_lost_end(struct osv_threads *t, struct osv_track *tr, uint64_t time)
{
	const struct event_args a = {.repaired = true};
	struct osv_span *o = &tr->open[--tr->n_open];

	track_put(t, tr, time, EVENT_END, t->tps->tp[o->tp].name, &a);
	frames_end(t, tr, time, o);
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
	    (struct osv_span){.tp = tp, .cpu = cpu};
}

/* Closes the n innermost spans, whose ends were not recorded. */
static void
close_lost(struct osv_threads *t, struct osv_track *tr, uint64_t time, int n)
{
	for (; n > 0; n--) {
		put_lost_end(t, tr, time);
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
track_in(struct osv_threads *t, const struct osv_record *r, bool begin)
{
	struct osv_track *best = first_track(t, r->thread_id);
	struct osv_thread *th = &t->threads[r->thread_id];
	int best_score = -1;
	uint32_t n;

	if (th->n_tracks == 1 && (!begin || depth_of(best, r->tp) < 0))
		return best;
	for (n = th->first; n != NONE; n = t->tracks[n].next) {
		struct osv_track *tr = &t->tracks[n];
		int score = (tr->cpu == r->cpu) * 2 + (tr->n_open == 0);

		/* on another CPU and busy: another thread */
		if ((begin && depth_of(tr, r->tp) >= 0) ||
		    score <= best_score || (begin && score == 0))
			continue;
		best = tr;
		best_score = score;
	}
	if (best_score >= 0)
		return best;
	if (th->n_tracks == SHARED_MAX) {
		close_lost(t, best, r->time, depth_of(best, r->tp) + 1);
		return best;
	}
	t->n->shared += th->n_tracks == 1;
	n = track_new(t, r->thread_id);
	return &t->tracks[n];
}

/* The track whose open X this record ends; *depth < 0 if there is none. */
static struct osv_track *
track_of_end(struct osv_threads *t, const struct osv_record *r, int *depth)
{
	uint32_t x = t->tps->tp[r->tp].base, n;
	struct osv_track *best = first_track(t, r->thread_id);
	int best_score = -1;

	*depth = -1;
	for (n = t->threads[r->thread_id].first; n != NONE;
	     n = t->tracks[n].next) {
		struct osv_track *tr = &t->tracks[n];
		int d = depth_of(tr, x);
		int score = d < 0 ? -1 : (d == 0) * 2 + (tr->cpu == r->cpu);

		if (score <= best_score)
			continue;
		best = tr;
		best_score = score;
		*depth = d;
	}
	return best;
}

static void
end(struct osv_threads *t, const struct osv_record *r)
{
	struct osv_span *o = NULL;
	struct osv_track *tr;
	int depth;

	tr = track_of_end(t, r, &depth);
	tr->cpu = r->cpu;
	if (depth < 0) {
		t->n->no_begin++;
	} else {
		close_lost(t, tr, r->time, depth);
		o = &tr->open[--tr->n_open];
	}
	if (t->tps->tp[r->tp].role == ROLE_WAIT_RET)
		waits_end(t, tr, r);
	track_put_end(t, tr, r);
	if (o)
		frames_end(t, tr, r->time, o);
}

/* A begin that the log shows to have an end. */
static void
begin(struct osv_threads *t, const struct osv_record *r)
{
	struct osv_track *tr = track_in(t, r, true);

	tr->cpu = r->cpu;
	push(tr, r->tp, r->cpu);
	if (t->opt->backtrace)
		frames_begin(t, tr, r);
	track_put_in(t, tr, r, EVENT_BEGIN);
	if (t->tps->tp[r->tp].role == ROLE_WAIT)
		waits_begin(t, tr, r);
}

void
pairing_put(struct osv_threads *t, const struct osv_record *r)
{
	const struct tp *tp = &t->tps->tp[r->tp];
	struct osv_track *tr;

	if (tp->role > ROLE_WAIT_RET)
		waits_note(t, r);
	if (!tp->selected)
		return;
	if (tp->kind != TP_ENTRY) {
		end(t, r);
	} else if (tp->state == TP_TIMED) {
		begin(t, r);
	} else {
		tr = track_in(t, r, false);
		tr->cpu = r->cpu;
		track_put_in(t, tr, r, EVENT_INSTANT);
	}
}

/* The load of a track, if there is one, ends. */
static void
end_load(struct osv_threads *t, struct osv_track *tr, uint64_t time)
{
	if (tr->n_open > 0)
		track_put(t, tr, time, EVENT_END,
		    t->tps->tp[tr->open[--tr->n_open].tp].name, NULL);
}

void
pairing_put_load(struct osv_threads *t, const struct osv_record *r)
{
	struct osv_track *tr = first_track(t, r->thread_id);

	end_load(t, tr, r->time);
	push(tr, r->tp, r->cpu);
	track_put(t, tr, r->time, EVENT_BEGIN, t->tps->tp[r->tp].name, NULL);
}

void
pairing_end(struct osv_threads *t)
{
	waits_finish(t);
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		struct osv_track *tr = &t->tracks[i];

		if (t->opt->cpu_load)
			end_load(t, tr, t->end);
		t->n->open += tr->n_open;
		if (!t->opt->backtrace && t->opt->within == WITHIN_NOTHING)
			tr->n_open = 0;
		while (tr->n_open > 0)
			put_lost_end(t, tr, t->end);
		tr->last = 0;
	}
	t->end = 0;
}
