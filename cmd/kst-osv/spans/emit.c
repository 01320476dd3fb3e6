/* SPDX-License-Identifier: ISC */
#include "spans/pairing.h"
#include "emit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "io/out.h"
#include "log/record.h"
#include "tps.h"
#include "tracks.h"
#include "base/xalloc.h"

/* The window: so many records, and bytes of their arguments. */
enum { HOLD_MAX = 1 << 16, HOLD_BYTES = 8 << 20 };

struct held {
	/* its frames, and then its args, are at args_at in emit.args */
	struct osv_record r;
	size_t args_at;
};

struct emit {
	const struct emit_options *opt;
	struct emit_counts n;
	struct tps tps;
	struct osv_threads threads;
	struct held *held; /* from `first` on still to be written */
	size_t first, n_held, cap_held;
	struct buf args;
};

struct emit *
emit_new(const struct emit_options *opt)
{
	struct emit *e = xcalloc(1, sizeof *e);

	e->opt = opt;
	tps_init(&e->tps, opt);
	threads_init(&e->threads, opt, &e->tps, &e->n);
	buf_room(&e->args, 1 << 12);
	return e;
}

void
emit_free(struct emit *e)
{
	tps_done(&e->tps);
	threads_done(&e->threads);
	free(e->held);
	buf_done(&e->args);
	free(e);
}

const struct emit_counts *
emit_counts(const struct emit *e)
{
	return &e->n;
}

bool
emit_holds(const struct emit *e)
{
	return e->first < e->n_held;
}

/* Whether it is still unknown if the record begins a span. */
static bool
undecided(const struct emit *e, uint32_t tp)
{
	const struct tp *t = &e->tps.tp[tp];

	return t->kind == TP_ENTRY && t->state == TP_UNKNOWN;
}

/* Writes held records up to the first undecided one. */
static void
drain(struct emit *e)
{
	while (e->first < e->n_held) {
		struct held *h = &e->held[e->first];

		if (undecided(e, h->r.tp))
			return;
		h->r.frames = (const uint64_t *)(e->args.p + h->args_at);
		h->r.args.p = (const char *)(h->r.frames + h->r.n_frames);
		pairing_put(&e->threads, &h->r);
		e->first++;
	}
	e->first = e->n_held = 0;
	e->args.len = 0;
}

void
emit_release(struct emit *e)
{
	for (size_t i = e->first; i < e->n_held; i++)
		if (undecided(e, e->held[i].r.tp))
			e->tps.tp[e->held[i].r.tp].state = TP_INSTANT;
	drain(e);
}

static void
hold(struct emit *e, const struct osv_record *r)
{
	struct held *h;

	if (e->n_held == HOLD_MAX || e->args.len > HOLD_BYTES)
		emit_release(e);
	h = xpush(e->held, e->n_held, e->cap_held);
	h->r = *r;
	buf_room(&e->args, 8);
	e->args.len = (e->args.len + 7) & ~(size_t)7; /* for the frames */
	h->args_at = e->args.len;
	buf_add(
	    &e->args, (const char *)r->frames, r->n_frames * sizeof *r->frames);
	buf_add(&e->args, r->args.p, r->args.len);
}

/* An end shows that its entry has ends. */
static void
learn(struct emit *e, const struct tp *tp)
{
	struct tp *base = &e->tps.tp[tp->base];

	if (tp->kind != TP_ENTRY && base->state != TP_NEVER)
		base->state = TP_TIMED;
}

/* A load's name is its argument, `load=3`; its track is the CPU. */
static void
put_load(struct emit *e, struct osv_record *r)
{
	struct piece name;
	char label[16];
	int len = snprintf(label, sizeof label, "cpu%" PRIu32, r->cpu);

	if (!bytes_is(r->name.p, r->name.len, "sched_load"))
		return;
	e->args.len = 0;
	event_escape(&e->args, r->args.p, r->args.len);
	name = (struct piece){e->args.p, e->args.len};
	r->tp = tps_id(&e->tps, name, &e->n.too_many);
	name = (struct piece){label, (size_t)len};
	r->thread_id = threads_id(&e->threads, name, 0);
	pairing_put_load(&e->threads, r);
}

void
emit_record(struct emit *e, struct osv_record *r)
{
	struct tp *tp;

	if (r->time > e->n.last_time)
		e->n.last_time = r->time;
	if (r->time > e->threads.end)
		e->threads.end = r->time;
	if (e->opt->cpu_load) {
		put_load(e, r);
		return;
	}
	r->tp = tps_id(&e->tps, r->name, &e->n.too_many);
	tp = &e->tps.tp[r->tp];
	if (!tp->selected && tp->role == ROLE_NONE)
		return;
	tp->count += tp->selected;
	e->n.records += tp->selected;
	if (e->opt->list)
		return;
	if (!e->opt->backtrace)
		r->n_frames = 0;
	r->thread_id = threads_id(&e->threads, r->thread, r->ptr);
	learn(e, tp);
	if (emit_holds(e) || undecided(e, r->tp)) {
		hold(e, r);
		if (tp->kind != TP_ENTRY)
			drain(e);
	} else {
		pairing_put(&e->threads, r);
	}
}

void
emit_end(struct emit *e)
{
	emit_release(e);
	pairing_end(&e->threads);
}

static int
by_name(const void *va, const void *vb)
{
	const struct tp *a = va, *b = vb;

	return bytes_cmp(a->name.p, a->name.len, b->name.p, b->name.len);
}

void
emit_list(struct emit *e)
{
	if (e->tps.n)
		qsort(e->tps.tp, e->tps.n, sizeof *e->tps.tp, by_name);
	for (uint32_t i = 0; i < e->tps.n; i++) {
		const struct tp *tp = &e->tps.tp[i];

		if (tp->count == 0)
			continue;
		out_put(tp->name.p, tp->name.len);
		out_printf(" %" PRIu64 "\n", tp->count);
	}
}
