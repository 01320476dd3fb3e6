/* SPDX-License-Identifier: ISC */
#include "native/native.h"
#include <poll.h>
#include <stdlib.h>
#include "base/msg.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "guest/images.h"
#include "guest/procs.h"
#include "wire/clock.h"
#include "wire/wire.h"

enum { TRIES = 20, TRY_MS = 10 };

/*
 * Where the kernel begins, if nobody has said: in the upper half, unless its
 * file has other addresses.
 */
static uint64_t
guess_base(const struct target *t, const struct unwind_abi *abi)
{
	uint64_t base = UINT64_C(1) << (8 * abi->word - 1), addr, size;
	const unsigned char *code;

	if (t->kernel_base != 0)
		return t->kernel_base;
	if (t->n_image > 0 &&
	    elfsym_section(t->image[0].sym, ".text", &addr, &size, &code) &&
	    addr < base)
		base = addr;
	return base;
}

/* Loads the target's files. Returns -1 after a message. */
static int
load(struct native *n)
{
	const struct target *t = n->s.t;
	const struct osfile *os =
	    t->os && osfile_processes(t->os) ? t->os : NULL;
	struct sampler *s = &n->s;

	n->u = unwinder_new((enum unwind_arch)(s->abi - unwind_abis));
	s->kernel_base = guess_base(t, s->abi);
	s->os = os;
	s->images = images_new(t, n->u);
	if (s->images == NULL)
		return -1;
	if (t->os != NULL)
		images_rules(s->images, t->os, s->abi);
	unwinder_set(n->u, &(struct unwind_settings){.code = sampler_code,
			       .find = sampler_find,
			       .arg = s,
			       .floor = os != NULL ? s->kernel_base : 0,
			       .show_skid = t->skid});
	if (os == NULL)
		return 0;
	s->procs = procs_new(os, t->user_dir, n->u);
	return s->procs != NULL ? 0 : -1;
}

/*
 * Whether the ELF file is the running kernel: the guest is stopped for that, a
 * few times if need be. All its CPUs may be in user mode each time, where
 * nothing tells; then it is looked for in the samples. Returns 0, -1 after a
 * message, or 1 when the conversation has failed.
 */
static int
check(struct native *n)
{
	struct sampler *s = &n->s;
	bool seen = false;

	for (int i = 0; i < TRIES && images_unsure(n->s.images); i++) {
		int known;

		if (s->ops->stop(s->arg, NULL, 0) != 0)
			return 1;
		known = sampler_confirm(s);
		if (!s->hold && s->ops->go(s->arg) != 0)
			return 1;
		if (known == 0)
			return 0;
		seen |= known < 0;
		/* A guest that stands still tells no more later. */
		if (s->hold ||
		    wait_fd(-1, 0, clock_now() + TRY_MS * NS_PER_MS, 0) < 0)
			break;
	}
	if (!seen)
		return 0;
	images_refuse(n->s.images);
	return -1;
}

/* Lets the guest go and frees all. */
static int
give_up(struct native *n)
{
	int status = n->s.ops->leave(n);

	if (status != 0)
		msg(WATCHDOG_WAITS);
	procs_free(n->s.procs);
	images_free(n->s.images);
	sampler_done(&n->s);
	unwinder_free(n->u);
	free(n);
	return status;
}

/* The conversation has failed: says why, unless a second signal was it. */
static enum sampled
lost(const struct native *n)
{
	static const enum sampled ends[] = {[WIRE_LOST] = SAMPLE_LOST,
	    [WIRE_MUTE] = SAMPLE_LOST,
	    [WIRE_GONE] = SAMPLE_GONE,
	    [WIRE_STOPPED] = SAMPLE_STOPPED,
	    [WIRE_REBOOTED] = SAMPLE_REBOOTED};
	enum wire_end end = n->w->end;

	if (n->w->hurry)
		return SAMPLE_HURRY;
	if (n->s.refused)
		return SAMPLE_OTHER;
	if (!n->s.t->told || (end != WIRE_GONE && end != WIRE_STOPPED))
		msg("%s", n->w->why);
	return ends[end];
}

/*
 * Reads the symbols, which takes a while: the guest runs meanwhile, unless it
 * is to be seen from its beginning. Returns as check() does.
 */
static int
begin(struct native *n)
{
	if (n->stands && n->s.ops->go(n) != 0)
		return 1;
	if (load(n) != 0)
		return -1;
	return n->s.t->start ? n->s.ops->go(n) != 0 : check(n);
}

void *
native_open(size_t size, const struct sampler_ops *ops, const struct target *t)
{
	struct native *n = xcalloc(1, size);
	int status;

	n->s.ops = ops;
	n->s.arg = n;
	n->s.t = t;
	n->s.hold = t->paused;
	if (ops->meet(n, t) != 0) {
		msg("%s: %s", t->addr.text, n->w->why);
		give_up(n);
		return NULL;
	}
	if (n->kind != NULL)
		msg("%s, %zu thread%s", n->kind, n->s.n_cpu,
		    &"s"[n->s.n_cpu == 1]);
	status = begin(n);
	if (status != 0) {
		if (status > 0)
			lost(n);
		give_up(n);
		return NULL;
	}
	if (t->verbose && n->kind == NULL)
		msg("%s, %zu CPUs", n->s.abi->name, n->s.n_cpu);
	if (n->s.hold)
		msg("the guest is paused, and is left so: all samples show "
		    "the same moment");
	return n;
}

int
native_foreign(struct native *n)
{
	n->s.hold = true;
	watchdog_off(&n->w->dog);
	return wire_end(n->w, WIRE_STOPPED,
	    "the guest was stopped by somebody else, and is left so");
}

enum sampled
native_sample(void *state, struct sample *s)
{
	struct native *n = state;

	sample_clear(s);
	s->time = clock_wall();
	if (n->s.ops->look(n) != 0 || sampler_take(&n->s, n->u) != 0)
		return lost(n);
	s->stop_ns = n->s.stopped;
	return native_write(n, s);
}

enum sampled
native_idle(void *state, uint64_t deadline)
{
	struct native *n = state;

	while (wait_fd(n->w->fd, POLLIN, deadline, 0) > 0)
		if (n->s.ops->look(n) != 0)
			return lost(n);
	return SAMPLE_OK;
}

int
native_close(void *state, bool hurry)
{
	struct native *n = state;
	bool unseen = !hurry && n->s.t->start && images_unsure(n->s.images);

	if (unseen)
		images_refuse(n->s.images);
	return give_up(n) != 0 || unseen ? -1 : 0;
}
