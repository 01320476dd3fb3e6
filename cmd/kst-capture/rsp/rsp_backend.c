/* SPDX-License-Identifier: ISC */
/*
 * The backend "rsp": the gdb stub's samples as trace text.
 */
#include <stdlib.h>
#include <string.h>
#include "guest/backend.h"
#include "wire/clock.h"
#include "base/msg.h"
#include "guest/native.h"
#include "rsp/rsp.h"
#include "base/xalloc.h"

struct state {
	struct rsp *rsp;
	struct native native;
};

static int
give_up(struct state *st)
{
	int status = 0;

	if (st->rsp != NULL)
		status = rsp_close(st->rsp);
	native_close(&st->native);
	free(st);
	return status;
}

static enum sampled
lost(const struct state *st)
{
	return native_lost(&st->rsp->s, st->rsp->l.hurry, st->rsp->l.why);
}

/*
 * Reads the symbols, which takes a while: the guest runs meanwhile, unless it
 * is to be seen from its beginning. Returns as native_open() does.
 */
static int
attach(struct state *st, const struct target *t)
{
	if (!t->start && rsp_start(st->rsp) != 0)
		return 1;
	return native_open(&st->native, t, &st->rsp->s);
}

static void *
open_rsp(const struct target *t)
{
	struct state *st = xcalloc(1, sizeof *st);
	struct rsp_options opt = {
	    &t->addr, t->timeout, t->stack_bytes, t->paused, t->start};
	const char *kind;
	char *why;
	int status;
	size_t n;

	st->rsp = rsp_open(&opt, &why);
	if (st->rsp == NULL) {
		msg("%s: %s", t->addr.text, why);
		free(why);
		free(st);
		return NULL;
	}
	kind = st->rsp->who.kind;
	n = st->rsp->s.n_cpu;
	if (kind != NULL)
		msg("%s, %zu thread%s", kind, n, &"s"[n == 1]);
	status = attach(st, t);
	if (status != 0) {
		if (status > 0)
			lost(st);
		give_up(st);
		return NULL;
	}
	native_say(&st->rsp->s, t->verbose && kind == NULL);
	return st;
}

static enum sampled
sample_rsp(void *state, struct sample *s)
{
	struct state *st = state;
	const struct sampler *sm = &st->rsp->s;

	sample_clear(s);
	s->time = clock_wall();
	if (rsp_sample(st->rsp, st->native.u) != 0)
		return lost(st);
	s->stop_ns = sm->stopped;
	return native_write(&st->native, sm, s);
}

static enum sampled
idle_rsp(void *state, uint64_t deadline)
{
	struct state *st = state;

	return rsp_idle(st->rsp, deadline) == 0 ? SAMPLE_OK : lost(st);
}

static int
close_rsp(void *state, bool hurry)
{
	struct state *st = state;
	int seen = hurry ? 0 : native_seen(&st->native, &st->rsp->s);

	return give_up(st) != 0 ? -1 : seen;
}

const struct backend backend_rsp = {
    .name = "rsp",
    .hz = 99,
    .open = open_rsp,
    .sample = sample_rsp,
    .idle = idle_rsp,
    .close = close_rsp,
};
