/* SPDX-License-Identifier: ISC */
/*
 * The backend that lets gdb do it: one gdb for the whole run, symbols loaded
 * once, then interrupt, `thread apply all bt`, continue for each sample.
 */
#include "gdb/gdb.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "guest/confine.h"
#include "guest/images.h"
#include "rights/rights.h"
#include "rsp/rsp_release.h"
#include "rsp/rsppkt.h"
#include "wire/clock.h"

/* Symbols take longer than answers. */
enum { LOAD_FACTOR = 12 };

static const char bt[] =
    "-interpreter-exec console \"thread apply all bt -frame-arguments "
    "presence -frame-info short-location 4096\"";

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
    /* --timeout ends all waits. */
    "-gdb-set tcp connect-timeout unlimited",
    "-gdb-set remotetimeout 86400",
    "-gdb-set sysroot /nonexistent",
};

/* Says why the run cannot go on. */
static enum sampled
lost(struct gdb *g, enum conn_end e)
{
	struct buf why = BUF_INIT;

	if (e == CONN_HURRY)
		return SAMPLE_HURRY;
	if (g->exited) {
		if (!g->t->told)
			msg("the guest went away (its gdb stub closed the "
			    "connection)");
		return SAMPLE_GONE;
	}
	if (e == CONN_TIMEOUT) {
		msg("no answer within %g s while %s: the guest or gdb hangs",
		    (double)g->t->timeout / 1e9, g->doing);
	} else if (e == CONN_CLOSED) {
		gdb_stop(g, NS_PER_S, &why);
		msg("gdb %s while %s", buf_str(&why), g->doing);
	} else {
		msg("%s: gdb says: %s", g->doing,
		    msg_text(g->error.p, g->error.len));
	}
	buf_done(&why);
	return SAMPLE_LOST;
}

static enum conn_end
command(struct gdb *g, const char *doing, const char *text)
{
	g->doing = doing;
	return gdb_command(g, g->t->timeout, text, NULL);
}

/* Waits until gdb has told that the guest stands still. */
static enum conn_end
wait_stopped(struct gdb *g)
{
	uint64_t deadline = clock_now() + g->t->timeout;
	enum conn_end e = CONN_OK;
	const char *line;

	while (e == CONN_OK && !g->stopped && !g->exited)
		e = gdb_next(g, &line, deadline, 1);
	return e;
}

/* Memory of the guest, for the check of the ELF file. */
static int
read_memory(void *arg, uint64_t addr, unsigned char *to, size_t len)
{
	struct gdb *g = arg;
	struct buf hex = BUF_INIT;
	const char *result;
	char text[80];
	int status = -1;

	snprintf(text, sizeof text, "-data-read-memory-bytes 0x%" PRIx64 " %zu",
	    addr, len);
	if (gdb_command(g, g->t->timeout, text, &result) == CONN_OK &&
	    mi_value(result, "contents", &hex) == 0 && hex.len == 2 * len)
		status = rsp_unhex(to, hex.p, len);
	buf_done(&hex);
	return status;
}

static enum conn_end
set_up(struct gdb *g)
{
	enum conn_end e = CONN_OK;

	for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
		if ((e = command(g, "starting gdb", settings[i])) >=
		    CONN_TIMEOUT)
			return e;
	return CONN_OK;
}

/* Loads the symbols. */
static enum conn_end
load_elf(struct gdb *g)
{
	struct buf b = BUF_INIT;
	enum conn_end e;

	if (g->t->n_image == 0)
		return CONN_OK;
	buf_adds(&b, "-file-exec-and-symbols ");
	mi_quote(&b, elfsym_path(g->t->image[0].sym));
	g->doing = "loading the symbols";
	e = gdb_command(g, LOAD_FACTOR * g->t->timeout, buf_str(&b), NULL);
	buf_done(&b);
	return e;
}

/* Connects; the guest then stands still. */
static enum conn_end
attach(struct gdb *g)
{
	const struct address *a = &g->t->addr;
	struct buf b = BUF_INIT;
	enum conn_end e;

	if (a->path)
		buf_printf(&b, "-target-select remote %s%s",
		    a->path[0] == '/' ? "" : "./", a->path);
	else
		buf_printf(&b, "-target-select remote tcp:%s%s%s:%s",
		    strchr(a->host, ':') ? "[" : "", a->host,
		    strchr(a->host, ':') ? "]" : "", a->port);
	/* A gdb that has ended, or an error, may come after the connection. */
	g->attached = g->asked = true;
	e = command(g, "connecting", buf_str(&b));
	g->exited &= e != CONN_ERROR; /* for gdb, if it has refused it */
	buf_done(&b);
	return e;
}

/* Lets the guest run. */
static enum conn_end
resume(struct gdb *g)
{
	enum conn_end e =
	    command(g, "resuming the guest", "-exec-continue --all");

	if (e == CONN_OK)
		g->stopped = g->asked = false;
	return e;
}

static int
close_gdb(void *state, bool hurry)
{
	struct gdb *g = state;
	bool clean;
	int repaired = 0, status = 0;

	if (g->foreign && g->pid)
		kill(g->pid, SIGKILL); /* a detach would set it running */
	clean = gdb_stop(g, hurry ? NS_PER_S : g->t->timeout, NULL);
	/*
	 * gdb detaches when its input ends, but leaves a guest stopped that
	 * it was about to stop. Of a guest that has ended only the connection
	 * may have.
	 */
	if (g->attached && !g->foreign && (!clean || g->asked || g->exited))
		repaired = watchdog_leave(&g->dog, true,
		    clock_now() + (hurry ? 2 * NS_PER_S : g->t->timeout));
	if (repaired != 0 && !g->exited) {
		msg(WATCHDOG_WAITS);
		status = -1;
	} else if (repaired < 0) {
		msg(WATCHDOG_LOST);
	}
	watchdog_off(&g->dog);
	buf_done(&g->in.b);
	buf_done(&g->error);
	free(g);
	return status;
}

static void *
open_gdb(const struct target *t)
{
	struct gdb *g = xcalloc(1, sizeof *g);
	enum conn_end e;

	g->t = t;
	if (gdb_look_first(g) != 0 || gdb_start(g) != 0) {
		free(g);
		return NULL;
	}
	g->foreign = g->paused;
	confine(t, &(struct rights){.child = g->pid});
	e = set_up(g);
	if (e == CONN_OK)
		e = load_elf(g);
	if (e == CONN_OK)
		e = attach(g);
	if (e == CONN_OK &&
	    images_check(t, &(struct reader){read_memory, g}) != 0) {
		close_gdb(g, false);
		return NULL;
	}
	g->doing = "resuming the guest";
	if (e == CONN_OK)
		e = wait_stopped(g);
	if (e == CONN_OK && g->paused)
		msg("the guest is paused and stays paused: all samples "
		    "show the same moment");
	else if (e == CONN_OK)
		e = resume(g);
	if (e == CONN_OK)
		return g;
	lost(g, e);
	close_gdb(g, false);
	return NULL;
}

static enum sampled
sample(void *state, struct sample *s)
{
	struct gdb *g = state;
	uint64_t begin;
	enum conn_end e = CONN_OK, resumed = CONN_OK;

	sample_clear(s);
	if (g->stopped && !g->exited && !g->paused) {
		g->foreign = true;
		if (!g->t->told)
			msg("the guest was stopped by a monitor or a "
			    "breakpoint and stays stopped");
		return SAMPLE_STOPPED;
	}
	s->time = clock_wall();
	g->doing = "stopping the guest";
	if (!g->paused) {
		g->asked = true;
		e = command(g, g->doing, "-exec-interrupt --all");
	}
	if (e == CONN_OK)
		e = wait_stopped(g);
	/* Until then QEMU has waited for a core, and the guest ran on. */
	begin = clock_now();
	if (e != CONN_OK || g->exited)
		return lost(g, e);
	g->text = &s->text;
	e = command(g, "reading the stacks", bt);
	g->text = NULL;
	if (e >= CONN_TIMEOUT)
		return lost(g, e);
	if (!g->paused) {
		resumed = resume(g);
		s->stop_ns = clock_now() - begin;
	}
	if (resumed != CONN_OK)
		return lost(g, resumed);
	gdb_text_finish(s);
	return e == CONN_OK && s->n[COUNT_STACKS] > 0 ? SAMPLE_OK
						      : SAMPLE_FAILED;
}

static enum sampled
idle(void *state, uint64_t deadline)
{
	struct gdb *g = state;
	enum conn_end e = CONN_OK;
	const char *line;

	g->doing = "waiting";
	while (e == CONN_OK && !g->exited)
		e = gdb_next(g, &line, deadline, 0);
	if (e == CONN_TIMEOUT || (e == CONN_HURRY && signals_caught <= 1))
		return SAMPLE_OK;
	return lost(g, e);
}

const struct backend backend_gdb = {
    .name = "gdb",
    .hz = 10,
    .open = open_gdb,
    .sample = sample,
    .idle = idle,
    .close = close_gdb,
};
