/* SPDX-License-Identifier: ISC */
/* The backend "rsp", through QEMU's gdb stub or another. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include "base/num.h"
#include "base/msg.h"
#include "guest/confine.h"
#include "memory/outside.h"
#include "native/native.h"
#include "native/sampler.h"
#include "rights/rights.h"
#include "rsp/layout.h"
#include "rsp/rsp_release.h"
#include "rsp/rsp_who.h"
#include "rsp/rsppkt.h"
#include "rsp/rsp_link.h"
#include "wire/clock.h"
#include "wire/peer.h"

/* The acknowledgement of the request to go comes at once. */
enum { G_MAX = 8192, GO_NS = 100000 };

struct rsp {
	struct sampler s;
	struct rsp_link l;
	struct layout layout;
	bool running;
	size_t chosen;	 /* the CPU that questions are about */
	struct buf list; /* the threads, as the stub listed them */
};

/* Before questions about a CPU; a stub of one has no names for it. */
static void
put_choice(struct rsp *r, size_t cpu)
{
	if (r->s.shot.cpu[cpu].id[0])
		link_putf(&r->l, "Hg%s", r->s.shot.cpu[cpu].id);
}

static int
take_choice(struct rsp *r, size_t cpu, uint64_t deadline)
{
	return r->s.shot.cpu[cpu].id[0] ? link_packet(&r->l, deadline) : 0;
}

/* Whether a register is asked for: some only for memory from outside. */
static bool
asks_for(const struct rsp *r, int k)
{
	return r->layout.ask[k] >= 0 &&
	       (k < ASK_PAGING || r->s.conn.outside != NULL);
}

/*
 * Whether what a CPU does is asked for when the guest goes on, and only of
 * those that may be halted: an answer costs half as much as all registers.
 */
static bool
asks_late(const struct rsp *r)
{
	return r->l.qemu && r->s.conn.outside != NULL && !r->s.conn.hold;
}

/* Asks for the registers of all CPUs. */
static void
put_questions(struct rsp *r)
{
	for (size_t i = 0; i < r->s.shot.n_cpu; i++) {
		put_choice(r, i);
		link_putf(&r->l, "g");
		for (int k = 0; k < LAYOUT_ASK; k++)
			if (asks_for(r, k))
				link_putf(&r->l, "p%" PRIx32,
				    (uint32_t)r->layout.ask[k]);
		if (!asks_late(r))
			rsp_put_state(&r->l, &r->s.shot.cpu[i]);
	}
}

/* The registers that are asked for one by one; errors are skipped. */
static int
take_asked(struct rsp *r, struct vcpu *c, uint64_t deadline)
{
	for (int k = 0; k < LAYOUT_ASK; k++) {
		uint8_t v[8];
		size_t n;

		if (!asks_for(r, k))
			continue;
		if (link_packet(&r->l, deadline) != 0)
			return -1;
		n = r->l.in.len / 2;
		if ((n == 4 || n == 8) && r->l.in.len % 2 == 0 &&
		    rsp_unhex(v, r->l.in.data, n) == 0)
			layout_asked(k, uint_load(v, n, false), c);
	}
	return 0;
}

/* The answers to one CPU's part of the first write. */
static int
take_cpu(struct rsp *r, struct vcpu *c, uint64_t deadline)
{
	uint8_t g[G_MAX];
	size_t n;

	c->ok = false;
	c->firmware.seen = 0;
	if (take_choice(r, (size_t)(c - r->s.shot.cpu), deadline) != 0 ||
	    link_packet(&r->l, deadline) != 0)
		return -1;
	n = r->l.in.len / 2;
	n = n < r->layout.end ? n : r->layout.end;
	if (r->l.in.len % 2 == 0 && n <= G_MAX && n > 0 &&
	    rsp_unhex(g, r->l.in.data, n) == 0)
		c->ok =
		    layout_regs(&r->layout, g, n, &c->regs, &c->paging) == 0;
	if (r->l.program)
		c->regs.mode = UNWIND_MODE_UNKNOWN; /* no kernel is below it */
	if (take_asked(r, c, deadline) != 0)
		return -1;
	return asks_late(r) ? 0 : rsp_take_state(&r->l, c, deadline);
}

/*
 * Stops what is not a guest of QEMU, which may have other threads now: they
 * come and go, CPUs stay.
 */
static int
stop_program(struct rsp *r)
{
	if (link_interrupt(&r->l) != 0)
		return -1;
	r->s.shot.stop.stood = clock_now();
	return rsp_cpus(&r->l, &r->list, &r->s);
}

/* The stop that the write has asked for. */
static int
await_stop(struct rsp *r, uint64_t deadline)
{
	if (link_packet(&r->l, deadline) != 0)
		return -1;
	r->s.shot.stop.stood = clock_now();
	if (link_is_end(&r->l))
		return link_ended(&r->l);
	if (r->l.in.len == 0 || r->l.in.data[0] != 'T')
		return sampler_foreign(&r->s);
	return 0;
}

static int
stop(void *arg)
{
	struct rsp *r = arg;
	const uint64_t now = clock_now(), deadline = now + r->l.w.timeout;
	bool asks = r->l.qemu && !r->s.conn.hold;

	r->s.shot.stop = (struct stop){.asked = now, .stood = now};
	r->running = r->running && !r->l.qemu;
	if (!r->s.conn.hold && !r->l.qemu && stop_program(r) != 0)
		return -1;
	r->running = false;
	if (asks)
		buf_addc(&r->l.w.out, 3);
	put_questions(r);
	if (link_send(&r->l) != 0 || (asks && await_stop(r, deadline) != 0))
		return -1;
	for (size_t i = 0; i < r->s.shot.n_cpu; i++)
		if (take_cpu(r, &r->s.shot.cpu[i], deadline) != 0)
			return -1;
	r->chosen = r->s.shot.n_cpu - 1;
	return 0;
}

static int
take_memory(struct rsp *r, const struct sampler_read *q, uint64_t deadline)
{
	struct vcpu *c = &r->s.shot.cpu[q->cpu];
	uint8_t *to;

	if (link_packet(&r->l, deadline) != 0)
		return -1;
	if (r->l.in.len != 2 * (size_t)q->len)
		return 0; /* an error: not mapped */
	to = snap_add(&c->snap, q->addr, q->len);
	if (to != NULL && rsp_unhex(to, r->l.in.data, q->len) != 0)
		memset(to, 0, q->len);
	return 0;
}

/* Whether it is of another CPU than the question before it. */
static bool
begins_cpu(const struct rsp *r, const struct sampler_read *list, size_t i)
{
	return list[i].cpu != (i ? list[i - 1].cpu : r->chosen);
}

static int
read_memory(void *arg, const struct sampler_read *list, size_t n)
{
	struct rsp *r = arg;
	uint64_t deadline = clock_now() + r->l.w.timeout;

	for (size_t i = 0; i < n; i++) {
		if (begins_cpu(r, list, i))
			put_choice(r, list[i].cpu);
		link_putf(
		    &r->l, "m%" PRIx64 ",%" PRIx32, list[i].at, list[i].len);
	}
	if (link_send(&r->l) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (begins_cpu(r, list, i) &&
		    take_choice(r, list[i].cpu, deadline) != 0)
			return -1;
		if (take_memory(r, &list[i], deadline) != 0)
			return -1;
	}
	r->chosen = n ? list[n - 1].cpu : r->chosen;
	return 0;
}

static int
ask_spare(void *arg, struct vcpu *c)
{
	struct rsp *r = arg;

	r->chosen = (size_t)(c - r->s.shot.cpu);
	return rsp_ask_spare(&r->l, r->layout.spare, c);
}

static int
go(void *arg)
{
	struct rsp *r = arg;
	const struct shot *shot = &r->s.shot;
	const uint64_t deadline = clock_now() + r->l.w.timeout;
	const bool late = asks_late(r);

	for (size_t i = 0; i < shot->n_cpu && late; i++)
		if (shot->cpu[i].asked)
			rsp_put_state(&r->l, &shot->cpu[i]);
	link_putf(&r->l, r->l.vcont ? "vCont;c" : "c");
	r->s.shot.stop.going = clock_now();
	if (link_send(&r->l) != 0)
		return -1;
	for (size_t i = 0; i < shot->n_cpu && late; i++)
		if (shot->cpu[i].asked &&
		    rsp_take_state(&r->l, &shot->cpu[i], deadline) != 0)
			return -1;
	if (!r->s.conn.stood.by_clock)
		conn_watch(r->l.w.fd, &r->l.in.raw, GO_NS);
	if (link_ack(&r->l, deadline) != 0)
		return -1;
	r->s.shot.stop.gone = clock_now();
	r->running = true;
	return 0;
}

static int
ask_monitor(void *arg, const char *command, struct buf *text)
{
	return link_monitor(arg, command, text);
}

static int
handshake(struct rsp *r)
{
	const char *why;

	if (rsp_meet(&r->l) != 0) {
		if (r->l.w.end == WIRE_MUTE)
			wire_fail(&r->l.w,
			    "connected, but the gdb stub does not answer: is "
			    "another debugger attached?");
		return -1;
	}
	r->s.conn.kind = r->l.kind;
	r->s.conn.chunk = r->l.packet;
	if (!r->s.conn.hold && r->l.qemu &&
	    rsp_state(&r->l, &r->s.conn.hold) != 0)
		return -1;
	r->s.conn.hold = r->s.conn.hold && !r->s.t->start;
	r->l.stop_seen &= !r->s.conn.hold;
	r->s.conn.stands = !r->s.conn.hold && !r->s.t->start;
	if (r->s.conn.hold)
		watchdog_off(&r->l.w.dog);
	else
		watchdog_arm(&r->l.w.dog);
	if (layout_read(&r->layout, rsp_document, &r->l, &why) != 0)
		return r->l.w.hurry
			   ? -1
			   : wire_fail(&r->l.w,
				 "unsupported stub: %s (--gdb gdb-multiarch "
				 "may know it)",
				 why);
	r->s.guest.abi = &unwind_abis[r->layout.arch];
	if (rsp_cpus(&r->l, &r->list, &r->s) != 0)
		return -1;
	if (r->l.qemu)
		sampler_monitor(&r->s, ask_monitor, &r->l);
	else
		sampler_monitor(&r->s, NULL, NULL);
	return r->l.w.closed || r->l.w.hurry ? -1 : 0;
}

/*
 * Keeps the right to find a process of gdbserver, and to interrupt it; 0: it is
 * not known yet.
 */
static void
keep_peer(const struct target *t, pid_t program)
{
	char *reads[] = {(char *)"/proc"};

	confine(t, &(struct rights){.reads = reads,
		       .n_reads = 1,
		       .also = RIGHTS_PEER,
		       .child = program});
}

static int
meet(void *arg, const struct target *t)
{
	struct rsp *r = arg;

	r->s.conn.w = &r->l.w;
	if (link_open(&r->l, &t->addr, t->timeout, t->paused) != 0)
		return wire_fail(&r->l.w,
		    "%s (was QEMU started with -s or -gdb?)", strerror(errno));
	r->s.conn.outside = outside_open(peer_process(r->l.w.fd));
	keep_peer(t, 0);
	if (handshake(r) != 0)
		return -1;
	if (r->l.pid > 0)
		keep_peer(t, r->l.pid);
	else
		confine(t, &(struct rights){0});
	return 0;
}

static int
look(void *arg, bool readable)
{
	struct rsp *r = arg;
	int came = link_idle(&r->l, readable);

	if (came <= 0)
		return came;
	r->running = false;
	return sampler_foreign(&r->s);
}

static int
leave(void *arg)
{
	struct rsp *r = arg;
	int status = 0;
	bool stands, repair;

	/* Others than QEMU may hold what runs until they are told to leave. */
	if (r->running && !r->l.qemu && !r->l.w.closed && !r->l.w.hurry &&
	    link_interrupt(&r->l) == 0)
		r->running = false;
	stands = !r->running && !r->s.conn.hold && r->l.w.fd >= 0;
	/* QEMU has ended, or something between us; before, the guest ran. */
	repair = r->l.qemu && (r->s.conn.stands || r->l.stop_seen);
	if (stands)
		status = wire_release(&r->l.w, r->l.answered, repair);
	if (status < 0 && r->l.w.closed && repair)
		msg(WATCHDOG_LOST);
	if (!r->l.answered || r->l.w.closed || status > 0)
		status = 0;
	link_close(&r->l);
	buf_done(&r->list);
	return status;
}

static void *
open_rsp(const struct target *t)
{
	static const struct sampler_ops ops = {
	    meet, look, stop, read_memory, go, leave, ask_spare};

	return sampler_open(sizeof(struct rsp), &ops, t);
}

const struct backend backend_rsp = {
    .name = "rsp",
    .hz = 99,
    .open = open_rsp,
    .sample = sampler_sample,
    .idle = sampler_idle,
    .close = sampler_close,
};
