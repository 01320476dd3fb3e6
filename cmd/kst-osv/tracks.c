/* SPDX-License-Identifier: ISC */
/* The only file that decides which begin a record of OSv ends. */
#include "tracks.h"

#include <stdlib.h>
#include <string.h>

#include "errname.h"
#include "events.h"
#include "intern.h"
#include "opt.h"
#include "xalloc.h"

enum {
	OPEN_MAX = 1024,   /* spans that a track remembers */
	SHARED_MAX = 64,   /* tracks of one name */
	IDS_MAX = 1 << 18, /* threads; all others are one, `??` */
	NONE = UINT32_MAX  /* no track */
};

struct open {
	uint32_t tp, cpu;
};

struct track {
	const char *label; /* escaped */
	size_t label_len;
	struct open *open;
	uint32_t n_open, cap, cpu;
	uint64_t last;
	uint32_t next; /* of the same thread, NONE at the end */
};

struct thread {
	uint32_t name; /* number of the bare name, in ids */
	uint32_t first, n_tracks;
	uint32_t n_alike; /* of a bare name: tracks labelled so */
};

void
tracks_init(struct tracks *t, const struct emit_options *opt,
    const struct tps *tps, struct emit_counts *n)
{
	memset(t, 0, sizeof *t);
	t->opt = opt;
	t->tps = tps;
	t->n = n;
	t->ids = intern_new();
	t->labels = intern_new();
}

void
tracks_done(struct tracks *t)
{
	for (uint32_t i = 0; i < t->n_tracks; i++)
		free(t->tracks[i].open);
	free(t->tracks);
	free(t->threads);
	intern_free(t->ids);
	intern_free(t->labels);
	buf_done(&t->args);
	buf_done(&t->id);
	memset(t, 0, sizeof *t);
}

/* `NAME`, or `NAME#2` for the second of that name. */
static void
set_label(struct tracks *t, struct track *tr, uint32_t thread)
{
	struct thread *bare = &t->threads[t->threads[thread].name];
	size_t len;
	const char *name = intern_str(t->ids, t->threads[thread].name, &len);
	uint32_t id;

	t->args.len = 0;
	event_escape(&t->args, name, len);
	if (++bare->n_alike > 1)
		buf_printf(&t->args, "#%u", bare->n_alike);
	id = intern_id(t->labels, t->args.p, t->args.len);
	tr->label = intern_str(t->labels, id, &tr->label_len);
}

static uint32_t
new_track(struct tracks *t, uint32_t thread)
{
	struct track *tr;
	uint32_t *link = &t->threads[thread].first;

	if (t->n_tracks == t->cap_tracks) {
		t->cap_tracks = t->cap_tracks ? t->cap_tracks * 2 : 16;
		t->tracks =
		    xreallocn(t->tracks, t->cap_tracks, sizeof *t->tracks);
	}
	while (*link != NONE)
		link = &t->tracks[*link].next;
	*link = t->n_tracks;
	t->threads[thread].n_tracks++;
	tr = &t->tracks[t->n_tracks];
	memset(tr, 0, sizeof *tr);
	tr->next = NONE;
	set_label(t, tr, thread);
	return t->n_tracks++;
}

static uint32_t
thread_of(struct tracks *t, const char *id, size_t len)
{
	uint32_t n = intern_id(t->ids, id, len);

	if (n < t->n_threads)
		return n;
	if (n >= t->cap_threads) {
		t->cap_threads = t->cap_threads ? t->cap_threads * 2 : 64;
		t->threads =
		    xreallocn(t->threads, t->cap_threads, sizeof *t->threads);
	}
	t->n_threads = n + 1;
	t->threads[n] = (struct thread){.name = n, .first = NONE};
	return n;
}

uint32_t
tracks_thread(struct tracks *t, const char *name, size_t len, uint64_t ptr)
{
	bool full = intern_count(t->ids) >= IDS_MAX;
	uint32_t bare, n;

	if (ptr == 0) {
		if (full && intern_find(t->ids, name, len) == UINT32_MAX)
			goto too_many;
		return thread_of(t, name, len);
	}
	t->id.len = 0;
	buf_add(&t->id, name, len);
	buf_addc(&t->id, 0);
	buf_add(&t->id, (const char *)&ptr, sizeof ptr);
	n = intern_find(t->ids, t->id.p, t->id.len);
	if (n != UINT32_MAX)
		return n;
	if (full)
		goto too_many;
	bare = thread_of(t, name, len);
	n = thread_of(t, t->id.p, t->id.len);
	t->threads[n].name = bare;
	return n;
too_many:
	t->n->too_many++;
	return thread_of(t, "??", 2);
}

/* Writing ------------------------------------------------------------------ */

static void
put(struct tracks *t, struct track *tr, const struct moment *m,
    enum event_kind kind, const struct tp *tp, const struct event_args *args)
{
	struct event e = {.time = m->time,
	    .kind = kind,
	    .track = tr->label,
	    .track_len = tr->label_len,
	    .name = tp->name,
	    .name_len = tp->len};
	struct event_args a = *args;

	if (e.time < tr->last) {
		e.time = tr->last;
		a.repaired = true;
		t->n->backwards++;
	}
	tr->last = e.time;
	t->args.len = 0;
	event_add_args(&t->args, &a);
	e.args = t->args.p;
	e.args_len = t->args.len;
	event_put(&e);
}

/* A begin or an instant: with the CPU and the arguments. */
static void
put_in(struct tracks *t, struct track *tr, const struct moment *m,
    enum event_kind kind)
{
	struct event_args a = {.text = m->args, .len = m->args_len};

	if (!t->opt->no_cpu) {
		char num[24];

		t->id.len = 0;
		buf_adds(&t->id, "cpu=");
		buf_add(&t->id, num, event_u64(num, m->cpu));
		if (m->args_len) {
			buf_addc(&t->id, ' ');
			buf_add(&t->id, m->args, m->args_len);
		}
		a.text = t->id.p;
		a.len = t->id.len;
	}
	put(t, tr, m, kind, &t->tps->tp[m->tp], &a);
}

static void
put_end(struct tracks *t, struct track *tr, const struct moment *m)
{
	const struct tp *tp = &t->tps->tp[m->tp];
	struct event_args a = {.text = m->args, .len = m->args_len};
	const char *err;
	uint64_t n;

	if (tp->kind == TP_RET && a.len) {
		a.mark = EVENT_VALUE;
	} else if (tp->kind == TP_ERR) {
		a.mark = EVENT_ERROR;
		err = num_u64(a.text, a.len, &n) == 0 ? errname(n) : NULL;
		if (err) {
			a.text = err;
			a.len = strlen(err);
		} else if (a.len == 0) {
			a.text = "??";
			a.len = 2;
		}
	}
	put(t, tr, m, EVENT_END, &t->tps->tp[tp->base], &a);
}

/* Pairing ------------------------------------------------------------------ */

/* How deep below the innermost span X is open: 0 = it is that; -1 = not. */
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
		memmove(
		    tr->open, tr->open + 1, (OPEN_MAX - 1) * sizeof *tr->open);
		tr->n_open--;
	}
	if (tr->n_open == tr->cap) {
		tr->cap = tr->cap ? tr->cap * 2 : 8;
		tr->open = xreallocn(tr->open, tr->cap, sizeof *tr->open);
	}
	tr->open[tr->n_open].tp = tp;
	tr->open[tr->n_open++].cpu = cpu;
}

/* Closes the n innermost spans, whose ends nobody recorded. */
static void
close_lost(struct tracks *t, struct track *tr, const struct moment *m, int n)
{
	struct event_args a = {.repaired = true};

	for (; n > 0; n--) {
		struct open *o = &tr->open[--tr->n_open];

		put(t, tr, m, EVENT_END, &t->tps->tp[o->tp], &a);
		t->n->no_end++;
	}
}

static struct track *
first_track(struct tracks *t, uint32_t thread)
{
	uint32_t n = t->threads[thread].first;

	if (n == NONE)
		n = new_track(t, thread);
	return &t->tracks[n];
}

/*
 * The track that a begin or instant belongs to: of several, one where X is
 * not open, best the one that was last seen on this CPU, then an idle one.
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
	n = new_track(t, m->thread);
	return &t->tracks[n];
}

/* The track whose open X this record ends; *depth < 0 when there is none. */
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
	uint32_t at;

	if (d < 0) {
		t->n->untimed++;
		return;
	}
	at = tr->n_open - 1 - (uint32_t)d;
	memmove(tr->open + at, tr->open + at + 1, (size_t)d * sizeof *tr->open);
	tr->n_open--;
	put_end(t, tr, m);
}

static void
end(struct tracks *t, const struct moment *m)
{
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
		tr->n_open--;
	}
	put_end(t, tr, m);
}

void
tracks_put(struct tracks *t, const struct moment *m)
{
	const struct tp *tp = &t->tps->tp[m->tp];
	bool begin = tp->kind == TP_ENTRY && tp->state == TP_TIMED;
	struct track *tr;

	if (tp->kind != TP_ENTRY) {
		end(t, m);
		return;
	}
	if (t->opt->like_trace_py && !begin) {
		t->n->untimed++;
		return;
	}
	tr = track_in(t, m, begin);
	tr->cpu = m->cpu;
	if (begin) {
		if (t->opt->like_trace_py && depth_of(tr, m->tp) >= 0)
			t->n->nested++;
		push(tr, m->tp, m->cpu);
	}
	put_in(t, tr, m, begin ? EVENT_BEGIN : EVENT_INSTANT);
}

void
tracks_end(struct tracks *t)
{
	struct event_args a = {.repaired = true};
	struct moment m = {.time = t->n->last_time};

	for (uint32_t i = 0; i < t->n_tracks; i++) {
		struct track *tr = &t->tracks[i];

		t->n->open += tr->n_open;
		while (t->opt->like_trace_py && tr->n_open > 0)
			put(t, tr, &m, EVENT_END,
			    &t->tps->tp[tr->open[--tr->n_open].tp], &a);
		tr->n_open = 0;
		tr->last = 0;
	}
}
