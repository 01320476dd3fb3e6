/* SPDX-License-Identifier: ISC */
/*
 * Knows what a sample takes: one write that stops the guest and asks for all
 * registers, one that asks for the stacks and lets the guest go. When it is
 * not known how much of a stack is wanted, the guest is kept until the stack
 * is unwound, once for each new stack.
 */
#include "rsp.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "layout.h"
#include "msg.h"
#include "rsp_link.h"
#include "xalloc.h"

enum { CPUS_MAX = 4096, CHUNK_MAX = 0x800, G_MAX = 8192 };

struct request {
	uint32_t cpu, len;
	uint64_t addr;
};

struct rsp {
	struct rsp_link l;
	struct layout layout;
	size_t window, chunk;
	bool was_paused, running, multi;
	struct vcpu *cpu;
	bool *careful; /* of each CPU: its stack is not known */
	size_t n_cpu;
	struct buf stop; /* the write that stops and asks for registers */
	struct request *req;
	size_t n_req, cap_req;
	struct stacks stacks;
	uint64_t stopped;
};

static char *
fetch_document(void *arg, const char *name)
{
	return link_document(arg, name);
}

/* `p01.02` is 1.2 in gdb's words. */
static void
name_cpu(struct vcpu *c, const char *id, size_t len, size_t index)
{
	char *dot, *end;
	unsigned long pid, tid;

	memcpy(c->id, id, len);
	c->id[len] = 0;
	dot = strchr(c->id, '.');
	if (c->id[0] == 'p' && dot != NULL) {
		pid = strtoul(c->id + 1, &end, 16);
		tid = strtoul(dot + 1, &end, 16);
		snprintf(c->title, sizeof(c->title), "Thread %lu.%lu",
		    pid & 0xffffffff, tid & 0xffffffff);
	} else {
		snprintf(c->title, sizeof(c->title), "Thread %zu", index + 1);
	}
}

/* The ids in `mID,ID…` */
static int
add_cpus(struct rsp *r, const char *p, size_t len)
{
	while (len > 0) {
		const char *comma = memchr(p, ',', len);
		size_t n = comma ? (size_t)(comma - p) : len;

		if (n == 0 || n >= sizeof(r->cpu->id) || r->n_cpu == CPUS_MAX ||
		    strspn(p, "p0123456789abcdefABCDEF.") < n)
			return link_fail(&r->l, "a list of CPUs that is none");
		r->cpu = xreallocn(r->cpu, r->n_cpu + 1, sizeof(*r->cpu));
		memset(&r->cpu[r->n_cpu], 0, sizeof(*r->cpu));
		name_cpu(&r->cpu[r->n_cpu], p, n, r->n_cpu);
		r->n_cpu++;
		p += n + (comma != NULL);
		len -= n + (comma != NULL);
	}
	return 0;
}

static int
list_cpus(struct rsp *r)
{
	const char *ask = "qfThreadInfo";

	for (int i = 0; i <= CPUS_MAX; i++) {
		if (link_ask(&r->l, ask) != 0)
			return -1;
		if (r->l.in.len == 0 || r->l.in.data[0] != 'm')
			break;
		if (add_cpus(r, r->l.in.data + 1, r->l.in.len - 1) != 0)
			return -1;
		ask = "qsThreadInfo";
	}
	if (r->n_cpu == 0)
		return link_fail(&r->l, "the stub knows no CPU");
	return 0;
}

/* PacketSize=HEX is the length of a packet: two digits a byte. */
static void
read_features(struct rsp *r)
{
	char *text = xmemdup0(r->l.in.data, r->l.in.len);
	const char *size = strstr(text, "PacketSize=");
	unsigned long n = size ? strtoul(size + 11, NULL, 16) : 0;

	r->multi = strstr(text, "multiprocess+") != NULL;
	r->chunk = CHUNK_MAX;
	if (n >= 64 && n / 2 < CHUNK_MAX)
		r->chunk = n / 2 & ~(size_t)7;
	free(text);
}

/* The write that begins each sample is the same each time. */
static void
build_stop(struct rsp *r)
{
	struct buf line = BUF_INIT;

	buf_addc(&r->stop, 3);
	for (size_t i = 0; i < r->n_cpu; i++) {
		line.len = 0;
		buf_printf(&line, "Hg%s", r->cpu[i].id);
		rsp_put(&r->stop, line.p, line.len);
		rsp_puts(&r->stop, "g");
		line.len = 0;
		buf_printf(&line, "qThreadExtraInfo,%s", r->cpu[i].id);
		rsp_put(&r->stop, line.p, line.len);
	}
	buf_done(&line);
}

static int
handshake(struct rsp *r)
{
	const char *why;

	if (link_ask(&r->l, "qSupported:multiprocess+;xmlRegisters=i386") !=
	    0) {
		if (strncmp(r->l.why, "no answer", 9) == 0)
			link_fail(&r->l, "connected, but nothing answers: does "
					 "another debugger hold this stub?");
		return -1;
	}
	r->was_paused = !r->l.stop_seen;
	r->l.stop_seen = false;
	if (!r->was_paused && link_guard(&r->l) != 0)
		return -1;
	read_features(r);
	if (layout_read(&r->layout, fetch_document, &r->l, &why) != 0)
		return link_fail(
		    &r->l, "the stub is none that is known: %s", why);
	if (list_cpus(r) != 0)
		return -1;
	r->careful = xcalloc(r->n_cpu, sizeof(*r->careful));
	build_stop(r);
	return 0;
}

struct rsp *
rsp_open(const struct rsp_options *opt, char **why)
{
	struct rsp *r = xcalloc(1, sizeof(*r));

	if (link_open(&r->l, opt->addr, opt->timeout) != 0) {
		*why = xstrdup(strerror(errno));
		free(r);
		return NULL;
	}
	r->window = opt->window;
	if (handshake(r) == 0)
		return r;
	*why = xstrdup(r->l.why);
	rsp_close(r);
	return NULL;
}

enum unwind_arch
rsp_arch(const struct rsp *r)
{
	return r->layout.arch;
}

bool
rsp_was_paused(const struct rsp *r)
{
	return r->was_paused;
}

const char *
rsp_why(const struct rsp *r)
{
	return r->l.why;
}

bool
rsp_hurried(const struct rsp *r)
{
	return r->l.hurry;
}

struct vcpu *
rsp_cpus(struct rsp *r, size_t *n)
{
	*n = r->n_cpu;
	return r->cpu;
}

uint64_t
rsp_stopped(const struct rsp *r)
{
	return r->stopped;
}

static int
resume(struct rsp *r, uint64_t deadline)
{
	r->l.out.len = 0;
	rsp_puts(&r->l.out, "vCont;c");
	if (link_send(&r->l) != 0 || link_ack(&r->l, deadline, true) != 0)
		return -1;
	r->running = true;
	return 0;
}

int
rsp_start(struct rsp *r)
{
	if (r->was_paused)
		return 0;
	return resume(r, clock_now() + r->l.timeout);
}

/* The answers to one CPU's part of the first write. */
static int
take_cpu(struct rsp *r, struct vcpu *c, uint64_t deadline)
{
	uint8_t g[G_MAX];
	size_t n;

	c->ok = false;
	snap_clear(&c->snap);
	if (link_packet(&r->l, deadline, true) != 0) /* Hg */
		return -1;
	if (link_packet(&r->l, deadline, true) != 0)
		return -1;
	n = r->l.in.len / 2;
	if (r->l.in.len % 2 == 0 && n <= G_MAX && n > 0 &&
	    rsp_unhex(g, r->l.in.data, n) == 0)
		c->ok = layout_regs(&r->layout, g, n, &c->regs) == 0;
	if (link_packet(&r->l, deadline, true) != 0)
		return -1;
	n = r->l.in.len / 2;
	if (n >= sizeof(c->extra))
		n = sizeof(c->extra) - 1;
	if (r->l.in.len % 2 != 0 ||
	    rsp_unhex((uint8_t *)c->extra, r->l.in.data, n) != 0)
		n = 0;
	c->extra[n] = 0;
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)c->extra[i] < ' ')
			c->extra[i] = '?';
	return 0;
}

static int
stopped_by_others(struct rsp *r)
{
	r->was_paused = true;
	r->running = false;
	return link_fail(&r->l, "the guest was stopped by somebody else, and "
				"is left so");
}

static int
stop_and_take(struct rsp *r, uint64_t deadline)
{
	buf_add(
	    &r->l.out, r->stop.p + r->was_paused, r->stop.len - r->was_paused);
	if (link_send(&r->l) != 0)
		return -1;
	r->running = false;
	if (!r->was_paused) {
		/* Until all CPUs stand still, QEMU needs the cores itself. */
		if (link_packet(&r->l, deadline, false) != 0)
			return -1;
		r->stopped = clock_now();
		if (r->l.in.len == 0 || r->l.in.data[0] != 'T') {
			return stopped_by_others(r);
		}
	}
	for (size_t i = 0; i < r->n_cpu; i++)
		if (take_cpu(r, &r->cpu[i], deadline) != 0)
			return -1;
	return 0;
}

static void
want(struct rsp *r, size_t cpu, uint64_t addr, size_t len)
{
	if (r->n_req == r->cap_req) {
		r->cap_req = r->cap_req ? 2 * r->cap_req : 64;
		r->req = xreallocn(r->req, r->cap_req, sizeof(*r->req));
	}
	r->req[r->n_req++] =
	    (struct request){(uint32_t)cpu, (uint32_t)len, addr};
}

/* [addr, addr + len) in chunks that a packet can carry; a read that crosses
 * into what is not mapped fails as a whole, so chunks can end at pages. */
static void
want_range(struct rsp *r, size_t cpu, uint64_t addr, size_t len, bool pages)
{
	while (len > 0) {
		size_t n = len < r->chunk ? len : r->chunk;
		size_t left = 4096 - (addr & 4095);

		if (pages && n > left)
			n = left;
		want(r, cpu, addr, n);
		addr += n;
		len -= n;
	}
}

/* Plans the reads of all stacks; returns whether none is left to chance. */
static bool
plan(struct rsp *r)
{
	bool sure = true;

	r->n_req = 0;
	for (size_t i = 0; i < r->n_cpu; i++) {
		const struct vcpu *c = &r->cpu[i];
		uint64_t sp = c->regs.r[unwind_abis[r->layout.arch].sp];
		size_t need = r->window;

		r->careful[i] = false;
		if (!c->ok)
			continue;
		if (need == 0)
			need = stacks_need(&r->stacks, sp);
		if (need == 0) {
			r->careful[i] = true;
			sure = false;
			need = 2 * CHUNK_MAX - (sp & (CHUNK_MAX - 1));
		}
		want_range(r, i, sp, need, r->window || r->careful[i]);
	}
	return sure;
}

static int
take_memory(struct rsp *r, const struct request *q, uint64_t deadline)
{
	struct vcpu *c = &r->cpu[q->cpu];
	uint8_t *to;

	if (link_packet(&r->l, deadline, true) != 0)
		return -1;
	if (r->l.in.len != 2 * (size_t)q->len)
		return 0; /* an error: not mapped */
	to = snap_add(&c->snap, q->addr, q->len);
	if (to != NULL && rsp_unhex(to, r->l.in.data, q->len) != 0)
		memset(to, 0, q->len);
	return 0;
}

/* The second write, with or without the guest's resumption. */
static int
take_stacks(struct rsp *r, bool and_go, uint64_t deadline)
{
	struct buf line = BUF_INIT;
	uint32_t cpu = UINT32_MAX;

	r->l.out.len = 0;
	for (size_t i = 0; i < r->n_req; i++) {
		const struct request *q = &r->req[i];

		if (q->cpu != cpu) {
			line.len = 0;
			buf_printf(&line, "Hg%s", r->cpu[q->cpu].id);
			rsp_put(&r->l.out, line.p, line.len);
			cpu = q->cpu;
		}
		line.len = 0;
		buf_printf(
		    &line, "m%llx,%x", (unsigned long long)q->addr, q->len);
		rsp_put(&r->l.out, line.p, line.len);
	}
	buf_done(&line);
	if (and_go)
		rsp_puts(&r->l.out, "vCont;c");
	if (link_send(&r->l) != 0)
		return -1;
	cpu = UINT32_MAX;
	for (size_t i = 0; i < r->n_req; i++) {
		if (r->req[i].cpu != cpu &&
		    link_packet(&r->l, deadline, true) != 0)
			return -1;
		cpu = r->req[i].cpu;
		if (take_memory(r, &r->req[i], deadline) != 0)
			return -1;
	}
	if (and_go) {
		if (link_ack(&r->l, deadline, true) != 0)
			return -1;
		r->running = true;
	}
	return 0;
}

/* More of a stopped CPU's memory: the block around the address. */
static int
fetch(void *arg, struct vcpu *c, uint64_t addr)
{
	struct rsp *r = arg;

	r->n_req = 0;
	want_range(r, (size_t)(c - r->cpu), addr & ~(uint64_t)(CHUNK_MAX - 1),
	    CHUNK_MAX, true);
	return take_stacks(r, false, clock_now() + r->l.timeout);
}

int
rsp_read(
    struct rsp *r, const struct vcpu *c, uint64_t addr, uint8_t *to, size_t n)
{
	struct buf line = BUF_INIT;
	int rc = 0;

	buf_printf(&line, "Hg%s", c->id);
	rc = link_ask(&r->l, buf_str(&line));
	while (rc == 0 && n > 0) {
		size_t left = 4096 - (addr & 4095);
		size_t part = n < r->chunk ? n : r->chunk;

		if (part > left)
			part = left;
		line.len = 0;
		buf_printf(&line, "m%llx,%zx", (unsigned long long)addr, part);
		rc = link_ask(&r->l, buf_str(&line));
		if (rc == 0 && (r->l.in.len != 2 * part ||
				   rsp_unhex(to, r->l.in.data, part) != 0))
			rc = -1;
		to += part;
		addr += part;
		n -= part;
	}
	buf_done(&line);
	return rc;
}

/* What a finished stack teaches about the next one at its place. */
static void
learn(struct rsp *r, const struct vcpu *c, bool careful)
{
	uint64_t sp = c->regs.r[unwind_abis[r->layout.arch].sp];
	const struct unwind_stack *st = &c->stack;

	if (!careful) {
		if (st->end == UNWIND_WINDOW)
			stacks_forget(&r->stacks, sp);
	} else if (vcpu_complete(c) && st->top - sp < WINDOW_MAX) {
		stacks_learn(&r->stacks, sp, st->top);
	}
}

static int
take_all(struct rsp *r, struct unwinder *u)
{
	uint64_t deadline = clock_now() + r->l.timeout;
	bool sure;

	r->stopped = clock_now();
	if (stop_and_take(r, deadline) != 0)
		return -1;
	sure = plan(r);
	if (take_stacks(r, sure && !r->was_paused, deadline) != 0)
		return -1;
	for (size_t i = 0; i < r->n_cpu && !sure; i++)
		if (r->careful[i])
			vcpu_unwind(&r->cpu[i], u, fetch, r);
	if (!sure && !r->was_paused && resume(r, deadline) != 0)
		return -1;
	r->stopped = clock_now() - r->stopped;
	return 0;
}

int
rsp_sample(struct rsp *r, struct unwinder *u)
{
	int idle = r->was_paused ? 0 : link_idle(&r->l);

	if (idle > 0)
		return stopped_by_others(r);
	if (idle != 0 || take_all(r, u) != 0)
		return -1;
	for (size_t i = 0; i < r->n_cpu; i++) {
		struct vcpu *c = &r->cpu[i];

		if (!c->ok)
			continue;
		if (!r->careful[i])
			vcpu_unwind(c, u, NULL, NULL);
		if (r->window == 0)
			learn(r, c, r->careful[i]);
	}
	return 0;
}

int
rsp_idle(struct rsp *r, uint64_t deadline)
{
	int rc;

	while (wait_fd(r->l.fd, deadline, 0) > 0) {
		rc = link_idle(&r->l);
		if (rc > 0)
			return stopped_by_others(r);
		if (rc < 0)
			return -1;
	}
	return 0;
}

int
rsp_close(struct rsp *r)
{
	int rc = 0;

	if (r == NULL)
		return 0;
	/* A stub that never answered cannot tell; it gets the bytes anyway. */
	if (!r->running && !r->was_paused && r->l.fd >= 0 && !r->l.closed)
		rc = link_release(&r->l);
	if (rc != 0 && r->l.answered)
		msg("the guest could not be set running: say `cont` on a "
		    "monitor of QEMU");
	else
		rc = 0;
	link_close(&r->l);
	for (size_t i = 0; i < r->n_cpu; i++)
		snap_done(&r->cpu[i].snap);
	free(r->cpu);
	free(r->careful);
	free(r->req);
	buf_done(&r->stop);
	stacks_done(&r->stacks);
	free(r);
	return rc;
}
