/* SPDX-License-Identifier: ISC */
#include "fold.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "set/bound.h"
#include "base/msg.h"
#include "opt/opt.h"
#include "io/out.h"
#include "base/xalloc.h"
#include "profile/table.h"

/* So many usual distances without a capture are a gap. */
enum { GAP = 4 };

struct sample {
	uint32_t capture, stack; /* number of its time, and of the table */
};

struct track {
	uint32_t name; /* its root frame */
	int64_t cpu;   /* or -1 */
	struct sample *v;
	size_t n, cap;
};

struct chart {
	struct fold *f;
	uint64_t *times; /* of captures, ns; they do not fall */
	size_t n_times, cap_times;
	struct track *tracks;
	size_t n_tracks, cap_tracks;
	size_t *track_of; /* by the name: number + 1 */
	size_t cap_names;
	uint64_t backwards;
};

static struct track *
track_of(struct chart *c, uint32_t name)
{
	size_t *at = xitem_zeroed(c->track_of, name, c->cap_names);
	const struct trace_thread *t = &c->f->in.thread;
	bool has_cpu = c->f->in.has_thread && t->has_cpu;

	if (*at == 0) {
		*xpush(c->tracks, c->n_tracks, c->cap_tracks) = (struct track){
		    .name = name, .cpu = has_cpu ? (int64_t)t->cpu : -1};
		*at = c->n_tracks;
	}
	return &c->tracks[*at - 1];
}

static void
add_time(struct chart *c)
{
	uint64_t now = c->f->at.time;

	if (c->n_times && now < c->times[c->n_times - 1]) {
		c->backwards++;
		now = c->times[c->n_times - 1];
	}
	*xpush(c->times, c->n_times, c->cap_times) = now;
}

/* A capture begins, or one of its stacks is complete. */
static void
take(void *arg, const uint32_t *names, size_t n)
{
	struct chart *c = arg;
	struct track *t;

	if (n == 0) {
		add_time(c);
		return;
	}
	t = track_of(c, names[0]);
	*xpush(t->v, t->n, t->cap) = (struct sample){
	    (uint32_t)(c->n_times - 1), table_find(c->f->table, names, n)};
}

struct chart *
chart_new(struct fold *f)
{
	struct chart *c = xcalloc(1, sizeof *c);

	c->f = f;
	f->sink = take;
	f->sink_arg = c;
	return c;
}

void
chart_free(struct chart *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->n_tracks; i++)
		free(c->tracks[i].v);
	free(c->tracks);
	free(c->times);
	free(c->track_of);
	free(c);
}

/* The median distance of captures; a second if there is none. */
static uint64_t
usual_distance(const struct chart *c)
{
	uint64_t *v = xcalloc(c->n_times + 1, sizeof *v), usual;
	size_t n = 0;

	for (size_t i = 1; i < c->n_times; i++)
		if (c->times[i] > c->times[i - 1])
			v[n++] = c->times[i] - c->times[i - 1];
	qsort(v, n, sizeof *v, bound_compare);
	usual = n ? v[n / 2] : 1000000000;
	free(v);
	return usual;
}

/* CPUs by number, then threads as they came. */
static int
compare_tracks(const void *a, const void *b)
{
	const struct track *x = a, *y = b;

	if ((x->cpu < 0) != (y->cpu < 0))
		return x->cpu < 0 ? 1 : -1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return (x->name > y->name) - (x->name < y->name);
}

static void
put_line(const struct chart *c, const uint32_t *names, size_t n, uint64_t ns)
{
	if (ns == 0)
		return;
	for (size_t i = 0; i < n; i++) {
		size_t len;
		const char *p = table_name_text(c->f->table, names[i], &len);

		if (i)
			out_putc(';');
		out_put(p, len);
	}
	out_printf(" %" PRIu64 "\n", ns);
}

static uint64_t
end_of(const struct chart *c, uint32_t capture, uint64_t usual)
{
	uint64_t from = c->times[capture];

	if (capture + 1 < c->n_times &&
	    c->times[capture + 1] - from <= GAP * usual)
		return c->times[capture + 1];
	return from + usual;
}

static void
put_track(const struct chart *c, const struct track *t, uint64_t begin,
    uint64_t usual)
{
	uint64_t now = begin;

	for (size_t i = 0; i < t->n;) {
		uint32_t stack = t->v[i].stack;
		uint64_t from = c->times[t->v[i].capture], to = from;
		const uint32_t *names;
		size_t n;

		for (; i < t->n && t->v[i].stack == stack &&
		       c->times[t->v[i].capture] == to;
		     i++)
			to = end_of(c, t->v[i].capture, usual);
		if (to <= now) /* a track that a capture has twice */
			continue;
		names = table_stack(c->f->table, stack, &n);
		if (from > now)
			put_line(c, names, 1, from - now);
		put_line(c, names, n, to - (from > now ? from : now));
		now = to;
	}
}

void
chart_options(struct fold_options *f, bool leaf_first)
{
	if (leaf_first)
		opt_conflict("order time", "leaf-first");
	if (fold_is_by(f, BY_TIME))
		opt_conflict("order time", "by time");
	f->needs_time = true;
	if (f->n_by && (f->by[0] == BY_CPU || f->by[0] == BY_THREAD))
		return;
	if (fold_is_by(f, BY_CPU) || fold_is_by(f, BY_THREAD))
		opt_wrong("--order time requires cpu or thread first in --by");
	memmove(f->by + 1, f->by, f->n_by++ * sizeof *f->by);
	f->by[0] = BY_CPU;
}

bool
chart_write(struct chart *c)
{
	uint64_t usual = usual_distance(c), begin = UINT64_MAX;

	if (c->n_tracks)
		qsort(
		    c->tracks, c->n_tracks, sizeof *c->tracks, compare_tracks);
	for (size_t i = 0; i < c->n_tracks; i++) {
		uint64_t first = c->times[c->tracks[i].v[0].capture];

		if (first < begin)
			begin = first;
	}
	for (size_t i = 0; i < c->n_tracks; i++)
		put_track(c, &c->tracks[i], begin, usual);
	if (c->backwards)
		msg("captures with a time before the last one's: %" PRIu64,
		    c->backwards);
	if (c->f->stacks) {
		trailer_set(&c->f->origin.sum, "unit", "ns");
		trailer_set(&c->f->origin.sum, "order", "time");
	}
	if (c->f->folded_lines)
		msg("folded text has no times: --order time leaves it out");
	return c->backwards == 0 && c->f->folded_lines == 0;
}
