/* SPDX-License-Identifier: ISC */
#include "spans/waits.h"
#include "spans/tracks.h"

#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"

enum {
	CPUS_MAX = 1 << 16,   /* all others count as one */
	WAITING_MAX = 1 << 12 /* threads at a time */
};

static const struct piece idle_name = {"idle", 4}, wakeup_name = {"wakeup", 6};

static uint32_t
cpu_of(const struct osv_record *r)
{
	return r->cpu < CPUS_MAX ? r->cpu : CPUS_MAX;
}

static struct cpu_idle *
idle_of(struct waits *w, uint32_t cpu)
{
	return xitem_zeroed(w->cpus, cpu, w->n_cpus);
}

static struct waiting *
find_track(const struct waits *w, uint32_t track)
{
	for (size_t i = w->n; i-- > 0;)
		if (w->v[i].track == track)
			return &w->v[i];
	return NULL;
}

static void
leave(struct waits *w, struct waiting *x)
{
	if (x)
		memmove(
		    x, x + 1, (size_t)(w->v + w->n-- - (x + 1)) * sizeof *x);
}

void
waits_begin(
    struct osv_threads *t, struct osv_track *tr, const struct osv_record *r)
{
	struct waits *w = &t->waits;
	uint32_t track = (uint32_t)(tr - t->tracks);

	leave(w, find_track(w, track));
	if (w->n == WAITING_MAX)
		t->n->crowded++;
	else
		*xpush(w->v, w->n, w->cap) = (struct waiting){.ptr = r->ptr,
		    .since = r->time,
		    .track = track,
		    .cpu = cpu_of(r)};
}

static void
put(struct osv_threads *t, const struct waiting *x, uint64_t from, uint64_t to,
    struct piece name)
{
	struct osv_track *tr = &t->tracks[x->track];

	track_put(t, tr, from, EVENT_BEGIN, name, NULL);
	track_put(t, tr, to, EVENT_END, name, NULL);
}

/* The waiting thread's part of its CPU's idle time. */
static void
put_idle(struct osv_threads *t, const struct waiting *x, uint64_t now)
{
	const struct cpu_idle *c = idle_of(&t->waits, x->cpu);

	if (c->idle)
		put(t, x, x->since > c->since ? x->since : c->since, now,
		    idle_name);
}

void
waits_end(
    struct osv_threads *t, struct osv_track *tr, const struct osv_record *r)
{
	struct waiting *x = find_track(&t->waits, (uint32_t)(tr - t->tracks));

	if (x && x->wake)
		put(t, x, x->wake, r->time, wakeup_name);
	if (x)
		put_idle(t, x, r->time);
	leave(&t->waits, x);
}

/* The thread in sched_wake's arguments, `wake 0xffff800001234040`. */
static bool
woken(const struct osv_record *r, uint64_t *ptr)
{
	const char *p = r->args.p, *end = p + r->args.len;

	while (end - p > 2 && memcmp(p, "0x", 2) != 0)
		p++;
	return end - p > 2 && num_hex(p + 2, (size_t)(end - p - 2), ptr) == 0;
}

/* The first wake-up makes a thread ready. */
static void
wake(struct waits *w, const struct osv_record *r)
{
	uint64_t ptr;
	size_t i = w->n;

	if (!woken(r, &ptr) || ptr == 0)
		return;
	while (i > 0 && w->v[i - 1].ptr != ptr)
		i--;
	if (i > 0 && w->v[i - 1].wake == 0)
		w->v[i - 1].wake = r->time;
}

static void
end_idle(struct osv_threads *t, uint32_t cpu, uint64_t now)
{
	struct waits *w = &t->waits;

	for (size_t i = w->n; i-- > 0;)
		if (w->v[i].cpu == cpu)
			put_idle(t, &w->v[i], now);
	idle_of(w, cpu)->idle = false;
}

void
waits_note(struct osv_threads *t, const struct osv_record *r)
{
	enum tp_role role = t->tps->tp[r->tp].role;

	if (role == ROLE_WAKE)
		wake(&t->waits, r);
	else if (role == ROLE_IDLE)
		*idle_of(&t->waits, cpu_of(r)) =
		    (struct cpu_idle){true, r->time};
	else
		end_idle(t, cpu_of(r), r->time);
}

void
waits_finish(struct osv_threads *t)
{
	struct waits *w = &t->waits;

	while (w->n > 0)
		put_idle(t, &w->v[--w->n], t->end);
	for (size_t i = 0; i < w->n_cpus; i++)
		w->cpus[i].idle = false;
}
