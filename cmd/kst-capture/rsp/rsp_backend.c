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
	if (rsp_hurried(st->rsp))
		return SAMPLE_HURRY;
	if (!rsp_sampler(st->rsp)->refused)
		msg("%s", rsp_why(st->rsp));
	return SAMPLE_LOST;
}

static void *
open_rsp(const struct target *t)
{
	struct state *st = xcalloc(1, sizeof *st);
	struct rsp_options opt = {
	    &t->addr, t->timeout, t->stack_bytes, t->paused};
	char *why;
	int status = 0;
	size_t n;

	st->rsp = rsp_open(&opt, &why);
	if (st->rsp == NULL) {
		msg("%s: %s", t->addr.text, why);
		free(why);
		free(st);
		return NULL;
	}
	n = rsp_sampler(st->rsp)->n_cpu;
	if (rsp_kind(st->rsp) != NULL)
		msg("%s, %zu thread%s", rsp_kind(st->rsp), n, &"s"[n == 1]);
	/* Reading symbols takes a while: the guest need not wait for it. */
	if (rsp_start(st->rsp) != 0) {
		lost(st);
		give_up(st);
		return NULL;
	}
	if (native_open(
		&st->native, t, rsp_arch(st->rsp), rsp_sampler(st->rsp)) != 0 ||
	    (status = native_check(&st->native, rsp_sampler(st->rsp))) != 0) {
		if (status > 0)
			lost(st);
		give_up(st);
		return NULL;
	}
	if (t->verbose && rsp_kind(st->rsp) == NULL)
		msg("%s, %zu CPUs", unwind_abis[rsp_arch(st->rsp)].name,
		    rsp_sampler(st->rsp)->n_cpu);
	if (rsp_was_paused(st->rsp))
		msg("the guest is paused, and is left so: all samples show "
		    "the same moment");
	return st;
}

static enum sampled
sample_rsp(void *state, struct sample *s)
{
	struct state *st = state;
	struct sampler *sm = rsp_sampler(st->rsp);

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

	switch (rsp_idle(st->rsp, deadline)) {
	case 0:
		return SAMPLE_OK;
	default:
		return lost(st);
	}
}

static int
close_rsp(void *state, bool hurry)
{
	(void)hurry;
	return give_up(state);
}

const struct backend backend_rsp = {
    .name = "rsp",
    .hz = 99,
    .open = open_rsp,
    .sample = sample_rsp,
    .idle = idle_rsp,
    .close = close_rsp,
};
