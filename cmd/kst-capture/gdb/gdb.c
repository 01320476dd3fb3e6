/* SPDX-License-Identifier: ISC */
/*
 * The backend that lets gdb do it: one gdb for the whole run, symbols loaded
 * once, then interrupt, `thread apply all bt`, continue for each sample.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/backend.h"
#include "wire/clock.h"
#include "guest/images.h"
#include "gdb/gdb_proc.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "elf/elfsym.h"
#include "rsp/rsp_release.h"
#include "wire/wire.h"
#include "rsp/rsppkt.h"
#include "base/xalloc.h"

/* Frames of a stack; of a deeper one gdb prints no more. */
enum { FRAMES_MAX = 4096, LOAD_FACTOR = 12 };
_Static_assert(FRAMES_MAX == 4096, "the backtrace limit below");

static const char bt[] =
    "-interpreter-exec console \"thread apply all bt -frame-arguments "
    "presence -frame-info short-location\"";

/* A setting that this gdb does not know is left as it is. */
static const char *const settings[] = {
    "-gdb-set mi-async on",
    "-gdb-set pagination off",
    "-gdb-set width 0",
    "-gdb-set height 0",
    "-gdb-set style enabled off",
    "-gdb-set source open off",
    "-gdb-set debuginfod enabled off",
    "-gdb-set print thread-events off",
    "-gdb-set print inferior-events off",
    "-gdb-set history save off",
    "-gdb-set tcp auto-retry off",
    "-gdb-set sysroot /nonexistent",
    "-gdb-set backtrace limit 4096",
};

struct state {
	const struct target *t;
	struct gdb_proc g;
	bool stopped, exited; /* the guest, as gdb tells it */
	bool attached;
	bool asked;	  /* the stop is ours */
	bool foreign;	  /* somebody else has stopped it; it is left so */
	bool paused;	  /* and had done so before we came */
	struct buf *text; /* console text goes here, or NULL */
};

/* All that gdb 16 says of a stub that closed while the guest was running. */
static const char fd_error[] = "\"warning: Error detected on fd ";

/* What gdb tells besides results. */
static void
notice(void *arg, const struct mi_record *r)
{
	struct state *st = arg;
	struct buf reason = BUF_INIT;

	if (r->kind == MI_CONSOLE && st->text)
		mi_unquote(r->rest, r->rest_len, st->text);
	else if (mi_is(r, MI_EXEC, "running"))
		st->stopped = false;
	else if (mi_is(r, MI_NOTIFY, "thread-group-exited") ||
		 (r->kind == MI_LOG &&
		     bytes_starts(r->rest, r->rest_len, fd_error)))
		st->exited = true;
	else if (mi_is(r, MI_EXEC, "stopped")) {
		st->stopped = true;
		if (mi_value(r, "reason", &reason) == 0 && reason.len >= 6 &&
		    memcmp(reason.p, "exited", 6) == 0)
			st->exited = true;
	}
	buf_done(&reason);
}

/* Says why the run cannot go on. */
static enum sampled
lost(struct state *st, enum conn_end e, const char *doing)
{
	struct buf why = BUF_INIT;

	if (e == CONN_HURRY)
		return SAMPLE_HURRY;
	if (st->exited) {
		if (!st->t->told)
			msg("the guest went away (its gdb stub closed the "
			    "connection)");
		return SAMPLE_GONE;
	}
	if (e == CONN_TIMEOUT) {
		msg("no answer within %g s while %s: the guest or gdb hangs",
		    (double)st->t->timeout / 1e9, doing);
	} else if (e == CONN_CLOSED) {
		gdb_stop(&st->g, NS_PER_S, &why);
		msg("gdb %s while %s", buf_str(&why), doing);
	} else {
		msg("%s: gdb says: %s", doing,
		    msg_text(st->g.error.p, st->g.error.len));
	}
	buf_done(&why);
	return SAMPLE_LOST;
}

static enum conn_end
command(struct state *st, const char *text, uint64_t limit)
{
	return gdb_command(&st->g, text, limit, notice, st);
}

/* Waits until gdb has told that the guest stands still. */
static enum conn_end
wait_stopped(struct state *st)
{
	uint64_t deadline = clock_now() + st->t->timeout;
	struct mi_record r;

	while (!st->stopped && !st->exited) {
		enum conn_end e = gdb_next(&st->g, &r, deadline, 1);

		if (e != CONN_OK)
			return e;
		notice(st, &r);
	}
	return CONN_OK;
}

/* Memory of the guest, for the check of the ELF file. */
static int
read_memory(void *arg, uint64_t addr, unsigned char *to, size_t len)
{
	struct state *st = arg;
	struct buf hex = BUF_INIT;
	char text[80];
	int status = -1;

	snprintf(text, sizeof text, "-data-read-memory-bytes 0x%" PRIx64 " %zu",
	    addr, len);
	if (command(st, text, st->t->timeout) == CONN_OK &&
	    mi_value(&st->g.result, "contents", &hex) == 0 &&
	    hex.len == 2 * len)
		status = rsp_unhex(to, hex.p, len);
	buf_done(&hex);
	return status;
}

static int
load_elf(struct state *st)
{
	struct buf b = BUF_INIT;
	enum conn_end e;
	const char *elf;

	if (st->t->n_image == 0)
		return 0;
	elf = elfsym_path(st->t->image[0].sym);
	buf_adds(&b, "-file-exec-and-symbols ");
	if (mi_quote(&b, elf) != 0) {
		msg("%s: gdb takes no names with line ends", msg_str(elf));
		buf_done(&b);
		return -1;
	}
	e = command(st, buf_str(&b), LOAD_FACTOR * st->t->timeout);
	buf_done(&b);
	if (e == CONN_OK)
		return 0;
	lost(st, e, "loading the symbols");
	return -1;
}

/* Connects; the guest then stands still. */
static int
attach(struct state *st)
{
	const struct address *a = &st->t->addr;
	static const char *const limits[] = {
	    "tcp connect-timeout", "remotetimeout"};
	struct buf b = BUF_INIT;
	enum conn_end e;

	for (int i = 0; i < 2; i++) {
		buf_printf(&b, "-gdb-set %s %" PRIu64, limits[i],
		    st->t->timeout / NS_PER_S + 1);
		command(st, buf_str(&b), st->t->timeout);
		b.len = 0;
	}
	if (a->path)
		buf_printf(&b, "-target-select remote %s", a->path);
	else
		buf_printf(&b, "-target-select remote tcp:%s%s%s:%s",
		    strchr(a->host, ':') ? "[" : "", a->host,
		    strchr(a->host, ':') ? "]" : "", a->port);
	/* A gdb that has ended, or an error, may come after the connection. */
	st->attached = st->asked = true;
	e = command(st, buf_str(&b), st->t->timeout);
	buf_done(&b);
	if (e == CONN_OK)
		return 0;
	st->exited &= e != CONN_ERROR; /* for gdb, if it has refused it */
	lost(st, e, "connecting");
	return -1;
}

/* Lets the guest run. */
static enum conn_end
resume(struct state *st)
{
	enum conn_end e = command(st, "-exec-continue --all", st->t->timeout);

	if (e == CONN_OK) {
		st->stopped = false;
		st->asked = false;
	}
	return e;
}

static int gdb_close_guest(void *state, bool hurry);

static void *
gdb_open(const struct target *t)
{
	struct state *st = xcalloc(1, sizeof *st);
	enum conn_end e = CONN_OK;

	st->t = t;
	if (gdb_look_first(t, &st->paused) != 0 ||
	    gdb_start(&st->g, t->gdb, &t->addr, st->paused) != 0) {
		free(st);
		return NULL;
	}
	st->foreign = st->paused;
	for (size_t i = 0;
	     i < sizeof settings / sizeof settings[0] && e < CONN_TIMEOUT; i++)
		e = command(st, settings[i], t->timeout);
	if (e >= CONN_TIMEOUT) {
		lost(st, e, "starting gdb");
	} else if (load_elf(st) == 0 && attach(st) == 0 &&
		   images_check(t, read_memory, st) == 0) {
		e = wait_stopped(st);
		if (e == CONN_OK && st->paused)
			msg("the guest is paused, and is left so: all samples "
			    "show the same moment");
		else if (e == CONN_OK)
			e = resume(st);
		if (e == CONN_OK)
			return st;
		lost(st, e, "setting the guest running");
	}
	gdb_close_guest(st, false);
	return NULL;
}

static enum sampled
gdb_sample(void *state, struct sample *s)
{
	struct state *st = state;
	uint64_t begin;
	enum conn_end e = CONN_OK, resumed = CONN_OK;

	sample_clear(s);
	if (st->stopped && !st->exited && !st->paused) {
		st->foreign = true;
		if (!st->t->told)
			msg("somebody else has stopped the guest (a monitor or "
			    "a breakpoint); it is left so");
		return SAMPLE_STOPPED;
	}
	s->time = clock_wall();
	if (!st->paused) {
		st->asked = true;
		e = command(st, "-exec-interrupt --all", st->t->timeout);
	}
	if (e == CONN_OK)
		e = wait_stopped(st);
	/* Until then QEMU has waited for a core, and the guest ran on. */
	begin = clock_now();
	if (e != CONN_OK || st->exited)
		return lost(st, e, "stopping the guest");
	st->text = &s->text;
	e = command(st, bt, st->t->timeout);
	st->text = NULL;
	if (e >= CONN_TIMEOUT)
		return lost(st, e, "reading the stacks");
	if (!st->paused) {
		resumed = resume(st);
		s->stop_ns = clock_now() - begin;
	}
	if (resumed != CONN_OK)
		return lost(st, resumed, "setting the guest running");
	gdb_text_finish(s, FRAMES_MAX);
	return e == CONN_OK && s->stacks > 0 ? SAMPLE_OK : SAMPLE_FAILED;
}

static enum sampled
gdb_idle(void *state, uint64_t deadline)
{
	struct state *st = state;
	struct mi_record r;

	for (;;) {
		enum conn_end e = gdb_next(&st->g, &r, deadline, 0);

		if (e == CONN_TIMEOUT)
			return SAMPLE_OK;
		if (e == CONN_HURRY)
			return signals_caught > 1 ? SAMPLE_HURRY : SAMPLE_OK;
		if (e != CONN_OK)
			return lost(st, e, "waiting");
		notice(st, &r);
		if (st->exited)
			return lost(st, CONN_OK, "waiting");
	}
}

static int
gdb_close_guest(void *state, bool hurry)
{
	struct state *st = state;
	const struct address *a = &st->t->addr;
	bool clean;
	int status = 0;

	if (st->foreign && st->g.pid)
		kill(st->g.pid, SIGKILL); /* a detach would set it running */
	clean = gdb_stop(&st->g, hurry ? NS_PER_S : st->t->timeout, NULL);
	/*
	 * gdb detaches when its input ends, but leaves a guest stopped that
	 * it was about to stop. Of a guest that has ended only the connection
	 * may have.
	 */
	if (st->attached && !st->foreign &&
	    (!clean || st->asked || st->exited) &&
	    rsp_repair(a, hurry || st->exited ? WIRE_REPAIR : st->t->timeout) !=
		0 &&
	    !st->exited) {
		watchdog_leave(&st->g.dog, clock_now());
		msg(WATCHDOG_WAITS);
		status = -1;
	}
	gdb_done(&st->g);
	free(st);
	return status;
}

const struct backend backend_gdb = {
    .name = "gdb",
    .hz = 10,
    .open = gdb_open,
    .sample = gdb_sample,
    .idle = gdb_idle,
    .close = gdb_close_guest,
};
