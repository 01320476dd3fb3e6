/* SPDX-License-Identifier: ISC */
/* Decides which begin a record ends. */
#include "tracks.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* How many open spans are within X: 0 for the innermost; -1 if X is closed. */
static int
depth_of(const struct track *tr, uint32_t tp)
{
	for (uint32_t i = tr->n_open; i-- > 0;)
		if (tr->open[i].tp == tp)
			return (int)(tr->n_open - 1 - i);
	return -1;
}

static void
push(struct track *tr, uint32_t tp, uint32_t cpu)
{
	if (tr->n_open == OPEN_MAX) {
		free(tr->open[0].frames);
		memmove(
		    tr->open, tr->open + 1, (OPEN_MAX - 1) * sizeof *tr->open);
		tr->n_open--;
	}
	tr->open = xgrow(tr->open, tr->n_open + 1, &tr->cap, sizeof *tr->open);
	tr->open[tr->n_open++] = (struct open){.tp = tp, .cpu = cpu};
}

/* Closes the n innermost spans, whose ends were not recorded. */
static void
close_lost(struct tracks *t, struct track *tr, const struct moment *m, int n)
{
	for (; n > 0; n--) {
		struct open *o = &tr->open[--tr->n_open];

		track_put_open_end(t, tr, m, o);
		frames_end(t, tr, m, o);
		t->n->no_end++;
	}
}

static struct track *
first_track(struct tracks *t, uint32_t thread)
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
static struct track *
track_in(struct tracks *t, const struct moment *m, bool begin)
{
	struct thread *th = &t->threads[m->thread];
	struct track *best = first_track(t, m->thread);
	int best_score = -1;
	uint32_t n;

	th = &t->threads[m->thread];
	if (t->opt->like_trace_py ||
	    (th->n_tracks == 1 && (!begin || depth_of(best, m->tp) < 0)))
		return best;
	for (n = th->first; n != NONE; n = t->tracks[n].next) {
		struct track *tr = &t->tracks[n];
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
static struct track *
track_of_end(struct tracks *t, const struct moment *m, int *depth)
{
	uint32_t x = t->tps->tp[m->tp].base, n;
	struct track *best = first_track(t, m->thread);
	int best_score = -1;

	*depth = -1;
	for (n = t->threads[m->thread].first; n != NONE;
	     n = t->tracks[n].next) {
		struct track *tr = &t->tracks[n];
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
end_like_trace_py(struct tracks *t, const struct moment *m)
{
	struct track *tr = first_track(t, m->thread);
	int d = depth_of(tr, t->tps->tp[m->tp].base);
	struct open o;
	uint32_t at;

	if (d < 0) {
		t->n->untimed++;
		return;
	}
	at = tr->n_open - 1 - (uint32_t)d;
	o = tr->open[at];
	memmove(tr->open + at, tr->open + at + 1, (size_t)d * sizeof *tr->open);
	tr->n_open--;
	if (like_blocks(t)) {
		block_put(t, tr, m, &o, false);
		return;
	}
	if (t->tps->tp[m->tp].role == ROLE_WAIT_RET)
		waits_end(t, tr, m);
	track_put_end(t, tr, m);
	frames_end(t, tr, m, &o);
}

static void
end(struct tracks *t, const struct moment *m)
{
	struct open *o = NULL;
	struct track *tr;
	int depth;

	if (t->opt->like_trace_py) {
		end_like_trace_py(t, m);
		return;
	}
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
	if (o && t->opt->backtrace)
		frames_end(t, tr, m, o);
}

/* A begin that the log shows to have an end. */
static void
begin(struct tracks *t, const struct moment *m)
{
	struct track *tr = track_in(t, m, true);

	tr->cpu = m->cpu;
	if (t->opt->like_trace_py && depth_of(tr, m->tp) >= 0)
		t->n->nested++;
	push(tr, m->tp, m->cpu);
	if (t->opt->backtrace)
		frames_begin(t, tr, m);
	if (like_blocks(t))
		return;
	track_put_in(t, tr, m, EVENT_BEGIN);
	if (t->tps->tp[m->tp].role == ROLE_WAIT)
		waits_begin(t, tr, m);
}

void
tracks_put(struct tracks *t, const struct moment *m)
{
	const struct tp *tp = &t->tps->tp[m->tp];
	struct track *tr;

	if (tp->role > ROLE_WAIT_RET)
		waits_note(t, m);
	if (!tp->selected)
		return;
	if (tp->kind != TP_ENTRY) {
		end(t, m);
	} else if (tp->state == TP_TIMED) {
		begin(t, m);
	} else if (t->opt->like_trace_py) {
		t->n->untimed++;
	} else {
		tr = track_in(t, m, false);
		tr->cpu = m->cpu;
		track_put_in(t, tr, m, EVENT_INSTANT);
	}
}

/* Closes the track's open spans with the log, where that is asked for. */
static void
close_open(struct tracks *t, struct track *tr, const struct moment *m)
{
	t->n->open += tr->n_open;
	while (tr->n_open > 0) {
		struct open *o = &tr->open[--tr->n_open];

		if (like_blocks(t)) {
			block_put(t, tr, m, o, true);
		} else if (t->opt->like_trace_py || t->opt->backtrace ||
			   t->waits) {
			track_put_open_end(t, tr, m, o);
			frames_end(t, tr, m, o);
		}
	}
}

void
tracks_end(struct tracks *t)
{
	struct moment m = {.time = t->end};

	if (t->waits)
		waits_finish(t, &m);
	for (uint32_t i = 0; i < t->n_tracks; i++) {
		close_open(t, &t->tracks[i], &m);
		t->tracks[i].last = 0;
	}
	t->end = 0;
}
