/* SPDX-License-Identifier: ISC */
#include "tracks.h"

#include <stdlib.h>
#include <string.h>

#include "set/intern.h"
#include "base/num.h"
#include "base/xalloc.h"

enum {
	CPUS_MAX = 1 << 16,    /* all others count as one */
	WAITERS_MAX = 1 << 12, /* threads that wait on one CPU */
	THREADS_MAX = 1 << 18
};

/* A track whose thread waits, or NONE in `cpu`. */
struct waiter {
	uint64_t since, wake; /* 0: not woken yet */
	uint32_t cpu;	      /* in cpus */
	uint32_t prev, next;  /* of those that wait on the CPU */
};

struct cpu_idle {
	bool idle;
	uint64_t since;
	uint32_t first, n;
};

struct waits {
	struct waiter *waiters; /* by track */
	struct cpu_idle *cpus;
	uint32_t *tracks; /* by thread */
	struct intern *cpu_ids, *threads;
	size_t n_waiters, cap_waiters, n_cpus, cap_cpus, cap_tracks;
};

static const struct tp idle_tp = {.name = "idle", .len = 4};
static const struct tp wakeup_tp = {.name = "wakeup", .len = 6};

struct waits *
waits_new(void)
{
	struct waits *w = xcalloc(1, sizeof *w);

	w->cpu_ids = intern_new();
	w->threads = intern_new();
	return w;
}

void
waits_free(struct waits *w)
{
	if (w == NULL)
		return;
	intern_free(w->cpu_ids);
	intern_free(w->threads);
	free(w->waiters);
	free(w->cpus);
	free(w->tracks);
	free(w);
}

static struct cpu_idle *
cpu_of(struct waits *w, uint32_t number, uint32_t *id)
{
	const char *key = (const char *)&number;

	*id = intern_within(w->cpu_ids, key, sizeof number, CPUS_MAX);
	if (*id == UINT32_MAX) {
		number = UINT32_MAX;
		*id = intern_id(w->cpu_ids, key, sizeof number);
	}
	if (*id >= w->n_cpus) {
		*xpush(w->cpus, w->n_cpus, w->cap_cpus) =
		    (struct cpu_idle){.first = NONE};
	}
	return &w->cpus[*id];
}

static struct waiter *
waiter_of(struct waits *w, uint32_t track)
{
	while (w->n_waiters <= track)
		xpush(w->waiters, w->n_waiters, w->cap_waiters)->cpu = NONE;
	return &w->waiters[track];
}

/* Takes the track from those that wait on a CPU. */
static void
leave(struct waits *w, uint32_t track)
{
	struct waiter *x = waiter_of(w, track);
	struct cpu_idle *c;

	if (x->cpu == NONE)
		return;
	c = &w->cpus[x->cpu];
	x->cpu = NONE;
	c->n--;
	if (x->prev == NONE)
		c->first = x->next;
	else
		w->waiters[x->prev].next = x->next;
	if (x->next != NONE)
		w->waiters[x->next].prev = x->prev;
}

void
waits_begin(struct osv_threads *t, struct osv_track *tr, const struct moment *m)
{
	struct waits *w = t->waits;
	const char *key = (const char *)&m->ptr;
	uint32_t track = (uint32_t)(tr - t->tracks), id;
	struct waiter *x = waiter_of(w, track);
	struct cpu_idle *c;

	leave(w, track);
	c = cpu_of(w, m->cpu, &id);
	if (c->n == WAITERS_MAX) {
		t->n->crowded++;
		return;
	}
	*x = (struct waiter){
	    .since = m->time, .cpu = id, .prev = NONE, .next = c->first};
	if (c->first != NONE)
		w->waiters[c->first].prev = track;
	c->first = track;
	c->n++;
	if (m->ptr == 0)
		return;
	id = intern_within(w->threads, key, sizeof m->ptr, THREADS_MAX);
	if (id == UINT32_MAX)
		return;
	*xitem(w->tracks, id, w->cap_tracks) = track;
}

static void
put(struct osv_threads *t, struct osv_track *tr, const struct moment *m,
    uint64_t begin, const struct tp *tp)
{
	const struct event_args none = {0};
	struct moment from = *m;

	from.time = begin;
	track_put(t, tr, &from, EVENT_BEGIN, tp, &none);
	track_put(t, tr, m, EVENT_END, tp, &none);
}

/* The waiting track's part of its CPU's idle time. */
static void
put_idle(struct osv_threads *t, const struct cpu_idle *c, uint32_t track,
    const struct moment *m)
{
	uint64_t since = t->waits->waiters[track].since;

	put(t, &t->tracks[track], m, since > c->since ? since : c->since,
	    &idle_tp);
}

void
waits_end(struct osv_threads *t, struct osv_track *tr, const struct moment *m)
{
	struct waits *w = t->waits;
	uint32_t track = (uint32_t)(tr - t->tracks);
	struct waiter *x = waiter_of(w, track);

	if (x->cpu == NONE)
		return;
	if (x->wake)
		put(t, tr, m, x->wake, &wakeup_tp);
	if (w->cpus[x->cpu].idle)
		put_idle(t, &w->cpus[x->cpu], track, m);
	leave(w, track);
}

/* The thread in sched_wake's arguments, `wake 0xffff800001234040`. */
static bool
woken(const struct moment *m, uint64_t *ptr)
{
	const char *p = m->args, *end = p + m->args_len;

	while (end - p > 2 && memcmp(p, "0x", 2) != 0)
		p++;
	return end - p > 2 && num_hex(p + 2, (size_t)(end - p - 2), ptr) == 0;
}

static void
wake(struct osv_threads *t, const struct moment *m)
{
	struct waits *w = t->waits;
	struct waiter *x;
	uint64_t ptr;
	uint32_t id;

	if (!woken(m, &ptr))
		return;
	id = intern_find(w->threads, (const char *)&ptr, sizeof ptr);
	if (id == UINT32_MAX)
		return;
	x = &w->waiters[w->tracks[id]];
	/* the first one makes it ready */
	if (x->cpu != NONE && x->wake == 0)
		x->wake = m->time;
}

static void
end_idle(struct osv_threads *t, struct cpu_idle *c, const struct moment *m)
{
	if (!c->idle)
		return;
	for (uint32_t i = c->first; i != NONE; i = t->waits->waiters[i].next)
		put_idle(t, c, i, m);
	c->idle = false;
}

void
waits_note(struct osv_threads *t, const struct moment *m)
{
	enum tp_role role = t->tps->tp[m->tp].role;
	struct cpu_idle *c;
	uint32_t id;

	if (role == ROLE_WAKE) {
		wake(t, m);
		return;
	}
	c = cpu_of(t->waits, m->cpu, &id);
	if (role == ROLE_IDLE) {
		c->idle = true;
		c->since = m->time;
	} else if (role == ROLE_IDLE_RET) {
		end_idle(t, c, m);
	}
}

void
waits_finish(struct osv_threads *t, const struct moment *m)
{
	struct waits *w = t->waits;

	for (size_t i = 0; i < w->n_cpus; i++)
		end_idle(t, &w->cpus[i], m);
	for (uint32_t i = 0; i < w->n_waiters; i++)
		leave(w, i);
}
