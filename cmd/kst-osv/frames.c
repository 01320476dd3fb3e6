/* SPDX-License-Identifier: ISC */
/* Spans within the frames of their backtraces. */
#include "tracks.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "base/xalloc.h"

/* After so many CPUs, trace.py's rule for their first records is not kept. */
enum { CPUS_MAX = 1 << 16 };

static void
put_name(struct tracks *t, struct track *tr, const struct moment *m,
    enum event_kind kind, const char *name, size_t len)
{
	const struct tp tp = {.name = name, .len = len};
	const struct event_args none = {0};
	struct moment at = *m;

	/* the span's own event says it if the time was raised */
	if (at.time < tr->last)
		at.time = tr->last;
	track_put(t, tr, &at, kind, &tp, &none);
}

/* Writes the first n of the frames, which stand leaf first: the root first as
 * begins, the leaf first as ends. */
static void
put_frames(struct tracks *t, struct track *tr, const struct moment *m,
    enum event_kind kind, const uint64_t *frames, uint32_t n)
{
	static const char hex[] = "0123456789abcdef";
	char name[20], *const end = name + sizeof name;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t v = frames[kind == EVENT_BEGIN ? n - 1 - i : i];
		char *p = end;

		do
			*--p = hex[v & 15];
		while ((v >>= 4) != 0);
		*--p = 'x';
		*--p = '0';
		put_name(t, tr, m, kind, p, (size_t)(end - p));
	}
}

/* Writes the CPU as the root frame, where that is asked for. */
static void
put_cpu(struct tracks *t, struct track *tr, const struct moment *m,
    enum event_kind kind, const struct open *o)
{
	char name[16];

	if (o->on_cpu)
		put_name(t, tr, m, kind, name,
		    (size_t)snprintf(name, sizeof name, "cpu%" PRIu32, o->cpu));
}

/* How many frames from the root on the two have in common. */
static uint32_t
common(const struct open *o, const struct moment *m)
{
	uint32_t n = 0,
		 most = o->n_frames < m->n_frames ? o->n_frames : m->n_frames;

	while (n < most &&
	       o->frames[o->n_frames - 1 - n] == m->frames[m->n_frames - 1 - n])
		n++;
	return n;
}

void
frames_begin(struct tracks *t, struct track *tr, const struct moment *m)
{
	struct open *o = &tr->open[tr->n_open - 1];

	o->time = m->time;
	o->on_cpu = t->opt->by && (tr->n_open == 1 || like_blocks(t));
	if (!like_blocks(t))
		put_cpu(t, tr, m, EVENT_BEGIN, o);
	if (m->n_frames == 0)
		return;
	o->frames = xreallocn(NULL, m->n_frames, sizeof *m->frames);
	memcpy(o->frames, m->frames, m->n_frames * sizeof *m->frames);
	o->n_frames = m->n_frames;
	if (tr->n_open > 1)
		o->shared = common(o - 1, m);
	if (!like_blocks(t))
		put_frames(
		    t, tr, m, EVENT_BEGIN, o->frames, o->n_frames - o->shared);
}

void
frames_end(
    struct tracks *t, struct track *tr, const struct moment *m, struct open *o)
{
	put_frames(t, tr, m, EVENT_END, o->frames, o->n_frames - o->shared);
	put_cpu(t, tr, m, EVENT_END, o);
	free(o->frames);
}

bool
like_blocks(const struct tracks *t)
{
	return t->opt->like_trace_py && t->opt->backtrace &&
	       t->opt->within == WITHIN_NOTHING;
}

void
cpu_seen(struct tracks *t, uint64_t time, uint32_t cpu)
{
	uint32_t n;

	if (time == 0)
		return;
	n = intern_within(t->cpus, (const char *)&cpu, sizeof cpu, CPUS_MAX);
	if (n == UINT32_MAX || n < t->n_first)
		return;
	t->first = xgrow(t->first, n + 1, &t->cap_first, sizeof *t->first);
	t->first[t->n_first++] = time;
}

/* Whether the CPU's first record is later than that time. */
static bool
cpu_is_late(const struct tracks *t, uint32_t cpu, uint64_t time)
{
	uint32_t n = intern_find(t->cpus, (const char *)&cpu, sizeof cpu);

	return n != UINT32_MAX && t->first[n] > time;
}

void
block_put(struct tracks *t, struct track *tr, const struct moment *m,
    struct open *o, bool at_end)
{
	struct moment begin = *m;

	begin.time = o->time;
	begin.cpu = o->cpu;
	begin.tp = o->tp;
	begin.args_len = 0;
	o->shared = 0;
	if (o->n_frames == 0 ||
	    (!at_end && o->cpu != m->cpu && cpu_is_late(t, m->cpu, o->time))) {
		t->n->untimed += 2 - (uint64_t)at_end;
		free(o->frames);
		return;
	}
	put_cpu(t, tr, &begin, EVENT_BEGIN, o);
	put_frames(t, tr, &begin, EVENT_BEGIN, o->frames, o->n_frames);
	track_put_in(t, tr, &begin, EVENT_BEGIN);
	if (at_end)
		track_put_open_end(t, tr, m, o);
	else
		track_put_end(t, tr, m);
	frames_end(t, tr, m, o);
}
