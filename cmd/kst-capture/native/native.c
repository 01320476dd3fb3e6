/* SPDX-License-Identifier: ISC */
#include "native/native.h"

#include "native/asleep.h"
#include "native/programs.h"
#include "native/write.h"
#include "native/sampler.h"
#include "native/reads.h"
#include <poll.h>
#include <stdlib.h>
#include "base/msg.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "guest/images.h"
#include "guest/procs.h"
#include "linux/modules.h"
#include "memory/outside.h"
#include "wire/clock.h"
#include "wire/wire.h"

enum { TRIES = 20, TRY_MS = 10 };

/* Of fewer, most of a guest's programs may be missing. */
enum { SAMPLES_MIN = 20 };

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
load(struct sampler *s)
{
	const struct target *t = s->t;
	const bool procs = t->os != NULL && osfile_processes(t->os);

	s->guest.u =
	    unwinder_new((enum unwind_arch)(s->guest.abi - unwind_abis));
	s->guest.kernel_base = guess_base(t, s->guest.abi);
	s->guest.images =
	    images_new(t, s->guest.u, s->guest.abi, &s->guest.reader);
	if (s->guest.images == NULL || asleep_open(s) != 0)
		return -1;
	s->guest.unsure = t->check && t->n_image > 0;
	s->guest.programs = t->tasks && (t->sysroot || t->user_dir);
	for (size_t i = 1; i < t->n_image; i++)
		s->guest.programs |= !t->image[i].placed;
	if (t->n_image > 0 && s->guest.abi->word == 8)
		s->guest.modules =
		    modules_new(t->image[0].sym, s->guest.u, &s->guest.reader);
	unwinder_set(s->guest.u, &(struct unwind_settings){.code = reads_code,
				     .find = programs_find,
				     .arg = s,
				     .floor = procs ? s->guest.kernel_base : 0,
				     .show_skid = t->skid});
	if (!procs)
		return 0;
	s->guest.procs =
	    procs_new(t->os, t->user_dir, s->guest.u, &s->guest.reader);
	return s->guest.procs != NULL ? 0 : -1;
}

/*
 * Whether the ELF file is the running kernel: the guest is stopped for that, a
 * few times if need be. All its CPUs may be in user mode each time, where
 * nothing tells; then it is looked for in the samples. Returns 0, -1 after a
 * message, or 1 when the conversation has failed.
 */
static int
check(struct sampler *s)
{
	bool seen = false;

	for (int i = 0; i < TRIES && s->guest.unsure; i++) {
		int known;

		if (reads_stop(s) != 0)
			return 1;
		known = sampler_confirm(s);
		if (!s->conn.hold && s->conn.ops->go(s) != 0)
			return 1;
		if (known == 0)
			return 0;
		seen |= known < 0;
		/* A guest that stands still tells no more later. */
		if (s->conn.hold ||
		    wait_fd(-1, 0, clock_now() + TRY_MS * NS_PER_MS, 0) < 0)
			break;
	}
	if (!seen)
		return 0;
	images_refuse(s->guest.images);
	return -1;
}

void
sampler_monitor(struct sampler *s, monitor_ask *ask, void *arg)
{
	s->conn.monitor = (struct monitor){ask, arg};
	stood_begin(&s->conn.stood, &s->conn.monitor);
	if (s->conn.outside != NULL &&
	    (ask == NULL ||
		outside_map(s->conn.outside, &s->conn.monitor) != 0)) {
		outside_free(s->conn.outside);
		s->conn.outside = NULL;
	}
	if (s->t->verbose)
		msg("memory is read %s",
		    s->conn.outside != NULL ? "from QEMU's process"
					    : "by the guest's stub or monitor");
}

void
sampler_forget(struct sampler *s)
{
	for (size_t i = 0; i < s->shot.n_cpu; i++)
		snap_done(&s->shot.cpu[i].snap);
	s->shot.n_cpu = 0;
}

struct vcpu *
sampler_add(struct sampler *s)
{
	struct vcpu *c;

	s->shot.cpu =
	    xreallocn(s->shot.cpu, s->shot.n_cpu + 1, sizeof *s->shot.cpu);
	c = &s->shot.cpu[s->shot.n_cpu++];
	memset(c, 0, sizeof *c);
	return c;
}

/* Lets the guest go and frees all. */
static int
give_up(struct sampler *s)
{
	int status = s->conn.ops->leave(s);

	if (status != 0)
		msg(WATCHDOG_WAITS);
	outside_free(s->conn.outside);
	asleep_close(s);
	procs_free(s->guest.procs);
	modules_free(s->guest.modules);
	images_free(s->guest.images);
	sampler_forget(s);
	free(s->shot.cpu);
	unwinder_free(s->guest.u);
	free(s);
	return status;
}

/* The conversation has failed: says why, unless a second signal was it. */
static enum sampled
lost(const struct sampler *s)
{
	static const enum sampled ends[] = {[WIRE_LOST] = SAMPLE_LOST,
	    [WIRE_MUTE] = SAMPLE_LOST,
	    [WIRE_GONE] = SAMPLE_GONE,
	    [WIRE_STOPPED] = SAMPLE_STOPPED,
	    [WIRE_REBOOTED] = SAMPLE_REBOOTED};
	enum wire_end end = s->conn.w->end;

	if (s->conn.w->hurry)
		return SAMPLE_HURRY;
	if (s->guest.refused)
		return SAMPLE_OTHER;
	if (!s->t->told || (end != WIRE_GONE && end != WIRE_STOPPED))
		msg("%s", s->conn.w->why);
	return ends[end];
}

/*
 * Reads the symbols, which takes a while: the guest runs meanwhile, unless it
 * is to be seen from its beginning. Returns as check() does.
 */
static int
begin(struct sampler *s)
{
	if (s->conn.stands && s->conn.ops->go(s) != 0)
		return 1;
	if (load(s) != 0)
		return -1;
	return s->t->start ? s->conn.ops->go(s) != 0 : check(s);
}

void *
sampler_open(size_t size, const struct sampler_ops *ops, const struct target *t)
{
	struct sampler *s = xcalloc(1, size);
	int status;

	s->conn.ops = ops;
	s->t = t;
	s->guest.reader = (struct reader){reads_now, s};
	s->conn.hold = t->paused;
	if (ops->meet(s, t) != 0) {
		msg("%s: %s", t->addr.text, s->conn.w->why);
		give_up(s);
		return NULL;
	}
	if (s->conn.kind != NULL)
		msg("%s, %zu thread%s", s->conn.kind, s->shot.n_cpu,
		    &"s"[s->shot.n_cpu == 1]);
	status = begin(s);
	if (status != 0) {
		if (status > 0)
			lost(s);
		give_up(s);
		return NULL;
	}
	if (t->verbose && s->conn.kind == NULL)
		msg("%s, %zu CPUs", s->guest.abi->name, s->shot.n_cpu);
	if (s->conn.hold)
		msg("the guest is paused and stays paused: all samples show "
		    "the same moment");
	return s;
}

int
sampler_foreign(struct sampler *s)
{
	s->conn.hold = true;
	watchdog_off(&s->conn.w->dog);
	return wire_end(s->conn.w, WIRE_STOPPED,
	    "the guest was stopped by a monitor or a breakpoint and stays "
	    "stopped");
}

enum sampled
sampler_sample(void *state, struct sample *to)
{
	struct sampler *s = state;

	sample_clear(to);
	to->time = clock_wall();
	/* after a signal nobody has waited */
	if (s->conn.ops->look(s, signals_caught > 0) != 0 ||
	    sampler_take(s) != 0)
		return lost(s);
	to->stop_ns = s->shot.stopped;
	to->by_clock = s->conn.stood.by_clock;
	to->rebooted = s->guest.rebooted;
	s->guest.rebooted = false;
	s->samples++;
	return sampler_write(s, to);
}

enum sampled
sampler_idle(void *state, uint64_t deadline)
{
	struct sampler *s = state;

	while (wait_fd(s->conn.w->fd, POLLIN, deadline, 0) > 0)
		if (s->conn.ops->look(s, true) != 0)
			return lost(s);
	return SAMPLE_OK;
}

/* Names programs of -e that may be other ones than those in the guest. */
static void
say_unmet(const struct sampler *s)
{
	struct buf names = BUF_INIT;

	if (s->samples >= SAMPLES_MIN && !s->t->no_user)
		images_unmet(s->guest.images, &names);
	if (names.len > 0)
		msg("no code was seen of %s", buf_str(&names));
	buf_done(&names);
}

int
sampler_close(void *state, bool hurry)
{
	struct sampler *s = state;
	bool unseen = !hurry && s->t->start && s->guest.unsure;

	if (unseen)
		images_refuse(s->guest.images);
	else if (!hurry)
		say_unmet(s);
	return give_up(s) != 0 || unseen ? -1 : 0;
}
