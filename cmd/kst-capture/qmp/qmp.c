/* SPDX-License-Identifier: ISC */
/*
 * The backend "qmp": samples through QEMU's monitor, for guests that have no
 * gdb stub. Registers come as text; memory as text or, when a folder is
 * shared with QEMU, through a file that QEMU writes.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/msg.h"
#include "guest/backend.h"
#include "guest/confine.h"
#include "memory/outside.h"
#include "native/native.h"
#include "native/sampler.h"
#include "qmp/qmp_text.h"
#include "qmp/qmp_link.h"
#include "rights/rights.h"
#include "text/quote.h"
#include "wire/clock.h"
#include "wire/peer.h"

enum { CPUS_MAX = 4096, MEMORY_CHUNK = 4096 };

struct state {
	struct sampler s;
	struct qmp_link l;
	struct buf name;    /* of a file there */
	const char *shared; /* the folder; NULL: memory comes as text */
	bool may_stand;	    /* asked to stop, and not yet known to run again */
};

/* What the events said while the guest should run. */
static int
look(void *arg, bool readable)
{
	struct state *st = arg;

	if (qlink_events(&st->l, readable) != 0)
		return -1;
	if (st->l.ended)
		return wire_end(&st->l.w, WIRE_GONE, "the guest was shut down");
	if (st->l.reset && st->s.t->check)
		return wire_end(
		    &st->l.w, WIRE_REBOOTED, "the guest has rebooted");
	st->s.guest.rebooted |= st->l.reset;
	st->s.guest.again |= st->l.reset;
	st->l.reset = false;
	if (st->l.stopped && !st->s.conn.hold)
		return sampler_foreign(&st->s);
	return 0;
}

/* The name of the file for a read, until the next call. */
static const char *
dump_name(struct state *st, size_t i)
{
	st->name.len = 0;
	buf_printf(
	    &st->name, "%s/kst-capture.%ld.%zu", st->shared, (long)getpid(), i);
	return buf_str(&st->name);
}

static void
put_read(struct state *st, const struct sampler_read *q, size_t i)
{
	struct buf args = BUF_INIT;
	const char *name;

	if (st->shared != NULL) {
		/* QEMU takes the address as a signed number. */
		buf_printf(&args,
		    "{\"val\":%" PRId64 ",\"size\":%" PRIu32
		    ",\"cpu-index\":%" PRIu32 ",\"filename\":",
		    (int64_t)q->at, q->len, q->cpu);
		name = dump_name(st, i);
		quote_json_to(&args, name, strlen(name));
		buf_addc(&args, '}');
		qlink_put(&st->l, "memsave", buf_str(&args));
	} else {
		buf_printf(&args, "x/%" PRIu32 "gx 0x%" PRIx64,
		    (q->len + 7) / 8, q->at);
		qlink_monitor(&st->l, buf_str(&args), q->cpu);
	}
	buf_done(&args);
}

/*
 * Takes the first n bytes of what QEMU wrote, and the file away. Returns how
 * many there were, -1 without a file.
 */
static ssize_t
take_file(struct state *st, size_t i, uint8_t *to, size_t n)
{
	const char *name = dump_name(st, i);
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	ssize_t got = -1;

	if (fd >= 0) {
		got = read(fd, to, n);
		got = got > 0 ? got : 0;
		close(fd);
	}
	unlink(name);
	return got;
}

/* Takes the memory that QEMU wrote, if the file is whole. */
static void
take_dump(struct state *st, const struct sampler_read *q, size_t i)
{
	uint8_t block[MEMORY_CHUNK], *to;

	if (take_file(st, i, block, sizeof block) < (ssize_t)q->len)
		return;
	to = snap_add(&st->s.shot.cpu[q->cpu].snap, q->addr, q->len);
	if (to != NULL)
		memcpy(to, block, q->len);
}

/*
 * Whether files get here from QEMU, which opens the file before it looks at the
 * address: that this cannot be read does not matter.
 */
static int
check_shared(struct state *st)
{
	static const struct sampler_read one = {.cpu = 0, .len = 1};
	char error[sizeof st->l.w.why];
	uint8_t byte;
	int status;

	put_read(st, &one, 0);
	if (wire_send(&st->l.w) != 0 || qlink_answer(&st->l) != 0)
		return -1;
	status = take_file(st, 0, &byte, 1) < 0 ? -1 : 0;
	if (status != 0) {
		snprintf(error, sizeof error, "%s",
		    st->l.returned
			? "does QEMU see that folder under another name?"
			: st->l.w.why);
		wire_fail(&st->l.w, "QEMU's file did not appear in %s: %s",
		    st->shared, error);
	}
	return status;
}

static int
resumed(struct state *st)
{
	if (qlink_answer(&st->l) != 0 || !st->l.returned)
		return -1;
	st->l.stopped = st->may_stand = false;
	st->s.shot.stop.gone = clock_now();
	if (st->l.resume_us > st->l.stop_us)
		st->s.shot.stop.told = 1000 * (st->l.resume_us - st->l.stop_us);
	return 0;
}

static void
put_reads(struct state *st, const struct sampler_read *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		put_read(st, &list[i], i);
}

static int
take_reads(struct state *st, const struct sampler_read *list, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const char *text;

		if (qlink_answer(&st->l) != 0)
			return -1;
		text = qlink_string(&st->l, st->l.answer);
		if (st->shared != NULL)
			take_dump(st, &list[i], i);
		else if (text != NULL)
			qmp_memory(text, list[i].addr, list[i].len,
			    &st->s.shot.cpu[list[i].cpu].snap);
	}
	return 0;
}

static int
read_memory(void *arg, const struct sampler_read *list, size_t n)
{
	struct state *st = arg;

	put_reads(st, list, n);
	return wire_send(&st->l.w) == 0 ? take_reads(st, list, n) : -1;
}

static int
go(void *arg)
{
	struct state *st = arg;

	qlink_put(&st->l, "cont", NULL);
	st->s.shot.stop.going = clock_now();
	return wire_send(&st->l.w) == 0 ? resumed(st) : -1;
}

static int
stop(void *arg)
{
	struct state *st = arg;
	const char *text;

	if (!st->s.conn.hold)
		qlink_put(&st->l, "stop", NULL);
	st->may_stand = !st->s.conn.hold;
	qlink_monitor(&st->l, "info registers -a", 0);
	st->s.shot.stop = (struct stop){.asked = clock_now()};
	st->s.shot.stop.stood = st->s.shot.stop.asked;
	if (wire_send(&st->l.w) != 0)
		return -1;
	if (!st->s.conn.hold) {
		if (qlink_answer(&st->l) != 0)
			return -1;
		st->s.shot.stop.stood = clock_now();
		/* A guest that runs announces that it stops. */
		if (!st->l.stopped)
			return sampler_foreign(&st->s);
	}
	if (qlink_answer(&st->l) != 0)
		return -1;
	text = qlink_string(&st->l, st->l.answer);
	qmp_registers(text ? text : "",
	    (enum unwind_arch)(st->s.guest.abi - unwind_abis), st->s.shot.cpu,
	    st->s.shot.n_cpu);
	return 0;
}

static int
read_status(struct state *st)
{
	struct json running;

	if (qlink_ask(&st->l, "query-status", NULL) != 0)
		return -1;
	running = json_member(st->l.answer, "running");
	st->l.stopped = json_peek(&running) != 't';
	st->s.conn.hold = st->l.stopped && !st->s.t->start;
	return 0;
}

static int
read_cpus(struct state *st)
{
	const char *target = NULL;
	struct json list;
	int arch = 0;
	size_t n = 0;

	if (qlink_ask(&st->l, "query-cpus-fast", NULL) != 0)
		return -1;
	list = st->l.answer;
	for (json_begin(&list, '['); json_item(&list, ']'); json_skip(&list))
		if (n++ == 0)
			target =
			    qlink_string(&st->l, json_member(list, "target"));
	while (target != NULL && arch < UNWIND_ARCHS &&
	       strcmp(target, unwind_abis[arch].name) != 0)
		arch++;
	if (target == NULL || arch == UNWIND_ARCHS || n > CPUS_MAX)
		return wire_fail(&st->l.w,
		    "unsupported processor '%s' (its gdb stub may be known to "
		    "--gdb gdb-multiarch)",
		    target ? target : "");
	st->s.guest.abi = &unwind_abis[arch];
	for (size_t i = 0; i < n; i++) {
		struct vcpu *c = sampler_add(&st->s);

		snprintf(c->title, sizeof c->title, "Thread 1.%zu", i + 1);
	}
	return 0;
}

static int
ask_monitor(void *arg, const char *command, struct buf *text)
{
	struct qmp_link *l = arg;
	const char *said;

	qlink_monitor(l, command, 0);
	if (wire_send(&l->w) != 0 || qlink_answer(l) != 0)
		return -1;
	said = l->returned ? qlink_string(l, l->answer) : NULL;
	buf_adds(text, said != NULL ? said : "");
	return 0;
}

/* Keeps the rights to take files from a folder; NULL: from none. */
static void
keep_shared(const struct target *t, const char *dir)
{
	char *reads[] = {(char *)(uintptr_t)dir};

	confine(t, &(struct rights){
		       .reads = reads, .n_reads = dir != NULL, .removes = dir});
}

static int
meet(void *arg, const struct target *t)
{
	struct state *st = arg;

	st->s.conn.w = &st->l.w;
	st->s.conn.chunk = MEMORY_CHUNK;
	st->shared = t->shared_dir;
	if (qlink_open(&st->l, &t->addr, t->timeout) != 0)
		return -1;
	st->s.conn.outside = outside_open(peer_process(st->l.w.fd));
	/* which processor it is, and so where memory is written, is not known
	 */
	keep_shared(t, t->shared_dir ? t->shared_dir : "/dev/shm");
	if (qlink_greet(&st->l) != 0 || read_status(st) != 0)
		return -1;
	if (st->s.conn.hold)
		watchdog_off(&st->l.w.dog);
	else
		watchdog_arm(&st->l.w.dog);
	if (read_cpus(st) != 0)
		return -1;
	/* QEMU 10's monitor takes addresses from 2 GiB on for negative ones */
	if (st->shared == NULL &&
	    st->s.guest.abi == &unwind_abis[UNWIND_RISCV32])
		st->shared = "/dev/shm";
	keep_shared(t, st->shared);
	sampler_monitor(&st->s, ask_monitor, &st->l);
	if (st->l.w.closed || st->l.w.hurry)
		return -1;
	return st->shared != NULL ? check_shared(st) : 0;
}

static int
leave(void *arg)
{
	struct state *st = arg;
	bool stands = st->may_stand && !st->s.conn.hold;
	int status = 0;

	if (stands)
		status = wire_release(&st->l.w, true, true);
	if (stands && st->l.w.closed) {
		if (status < 0)
			msg(WATCHDOG_LOST);
		status = 0;
	}
	qlink_close(&st->l);
	buf_done(&st->name);
	return status;
}

static void *
open_qmp(const struct target *t)
{
	static const struct sampler_ops ops = {
	    meet, look, stop, read_memory, go, leave, NULL};

	return sampler_open(sizeof(struct state), &ops, t);
}

const struct backend backend_qmp = {
    .name = "qmp",
    .hz = 99,
    .open = open_qmp,
    .sample = sampler_sample,
    .idle = sampler_idle,
    .close = sampler_close,
};
