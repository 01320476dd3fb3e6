/* SPDX-License-Identifier: ISC */
#include "lead/lead.h"

#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "flame.h"
#include "facts/again.h"
#include "lead/idle.h"
#include "lead/irq.h"
#include "lead/panic.h"
#include "facts/rows.h"
#include "lead/waits.h"
#include "classes-row.h"
#include "names/rx.h"

/* Samples that a share is taken of, and shares in percent. */
enum { SAMPLES = 100, IDLE_SHARE = 50, LOCK_SHARE = 20, HOT_SHARE = 50 };
/* What a function does itself, if its callees are counted, too; a busy CPU. */
enum { OWN_SHARE = 10, BUSY_SHARE = 90 };
/* Rows in which a function for locks is looked for. */
enum { LOCK_ROWS = 5 };
/* From here on a function is the guest's only loop, or a CPU's firmware. */
enum { LOOP_SHARE = 90, PARKED_SHARE = 99 };

/* Whether it is of a class of functions, by its pattern. */
static bool
is_of(const char *class, const char *name)
{
	struct buf none = BUF_INIT; /* this pattern has no fault */
	struct rx *rx = rx_new(class, strlen(class), &none);
	bool is = rx != NULL && rx_match(rx, name, strlen(name)) == 1;

	rx_free(rx);
	buf_done(&none);
	return is;
}

static bool
is_lock(const char *name)
{
	return is_of(LOCK, name);
}

/* The function for locks among those that run most; else the row stays. */
static void
prefer_lock(const struct plan *p, struct row *running)
{
	char *text, *rest, *row;
	bool found = false;
	struct row t;

	rest = text = rows_table(p, "state", "running", "self", LOCK_ROWS);
	while (text && !found && (row = strsep(&rest, "\n")) != NULL)
		found = strncmp(row, "running,", 8) == 0 &&
			rows_read(row + 8, &t) && is_lock(t.name) &&
			100 * t.share >= LOCK_SHARE;
	if (found)
		*running = t;
	free(text);
}

/* The first rows of what runs and what is halted. */
static void
read_states(const struct plan *p, struct row *running, struct row *halted)
{
	char *text, *rest, *row;

	rest = text = rows_table(p, "state", NULL, "self", 1);
	while (text && (row = strsep(&rest, "\n")) != NULL)
		if (strncmp(row, "running,", 8) == 0)
			rows_read(row + 8, running);
		else if (strncmp(row, "halted,", 7) == 0)
			rows_read(row + 7, halted);
	free(text);
}

/* The innermost function that half of what runs is in, with its callees. */
static void
read_inner(const struct plan *p, struct row *inner)
{
	char *text, *rest, *row;
	struct row t;

	rest = text = rows_table(p, "state", NULL, "total", 40);
	while (text && (row = strsep(&rest, "\n")) != NULL)
		if (strncmp(row, "running,", 8) == 0 &&
		    rows_read(row + 8, &t) && 100 * t.total >= HOT_SHARE &&
		    100 * t.share >= OWN_SHARE)
			*inner = t;
	free(text);
}

/* What a CPU runs, in samples, and the share of it before the kernel. */
struct cpu {
	char name[16];
	double runs, before;
};

/* A CPU that waits in firmware for the kernel to start it is none of it. */
static void
add_cpu(const struct cpu *c, double *runs, double *before)
{
	if (100 * c->before >= PARKED_SHARE)
		return;
	*runs += c->runs;
	*before += c->before * c->runs;
}

/* The share of what runs before the kernel does: in firmware, and in its boot.
 */
static double
share_before(const struct plan *p)
{
	struct cpu c = {0};
	char *text, *rest, *row;
	double runs = 0, before = 0;
	struct row t;
	size_t n;

	rest = text = rows_table(p, "cpu", "running", "total", 40);
	while (text && (row = strsep(&rest, "\n")) != NULL) {
		n = strcspn(row, ",");
		if (strncmp(row, "CPU#", 4) != 0 || n >= sizeof c.name ||
		    !rows_read(row + n + 1, &t))
			continue;
		if (strncmp(c.name, row, n + 1) != 0) {
			add_cpu(&c, &runs, &before);
			c = (struct cpu){0};
			memcpy(c.name, row, n + 1);
		}
		if (c.runs == 0)
			c.runs = rows_samples(&t);
		if (strcmp(t.name, "[firmware]") == 0 ||
		    strcmp(t.name, "[boot]") == 0)
			c.before += t.total;
	}
	add_cpu(&c, &runs, &before);
	free(text);
	return runs > 0 ? before / runs : 0;
}

/* Too few samples for a share, unless their number was asked for. */
static void
add_few(const struct plan *p, double samples, struct buf *b)
{
	const struct options *o = p->o;
	const bool rate =
	    options_use(o, STEP_CAPTURE, "frequency interval") == NULL;
	/* a guest that was booted may end by itself */
	const bool time =
	    p->argv == NULL || options_use(o, STEP_CAPTURE, "duration");

	if (samples < 1 || options_use(o, STEP_CAPTURE, "samples one-shot"))
		return;
	buf_printf(b, "%.0f sample%s few, so shares are rough", samples,
	    samples < 2 ? " of a CPU is" : "s of CPUs are");
	if (rate || time)
		buf_printf(b, ": more by %s%s%s", time ? "a longer -d" : "",
		    rate && time ? ", or by " : "", rate ? "-F 400" : "");
	buf_addc(b, '\n');
}

/*
 * The next question about a function that is not a lock. One that is nearly all
 * is a loop, mostly the guest's own, of which only its caller's lines can tell
 * more.
 */
static void
add_why(const struct plan *p, bool loop, const char *caller, struct buf *b)
{
	if (!again_counts(p)) {
		buf_addc(b, '\n');
		return;
	}
	buf_adds(b, ": ");
	if (loop) {
		buf_adds(b, "in which lines of that: kst count");
		again_count(p, "--lines", "-n 1e9", b);
		buf_printf(b,
		    " | kst top --sort total --lines '^%s$' (of a kernel "
		    "with -g)\n",
		    caller);
		return;
	}
	buf_adds(b, "more calls, or more in each? 'kst diff --per-call "
		    "1.calls,2.calls 1.folded 2.folded' tells, of two sizes "
		    "that are counted like this: kst count");
	again_boot(p, "-n 1e9 --also calls=1.calls -o 1.folded", b);
	buf_addc(b, '\n');
}

/*
 * Who holds the lock that others wait for: that of the function which waits
 * most, since the scheduler's of an idle CPU is another one.
 */
static void
add_holder(const struct plan *p, const char *lock, const char *caller,
    struct buf *lines)
{
	buf_adds(lines, ": what other CPUs do meanwhile: kst top");
	again_while(lock, strlen(lock), lines);
	if (!is_of(SCHEDULER, caller))
		again_while(caller, strlen(caller), lines);
	buf_adds(lines, " --tree --min 3");
	again_kept(p, lines);
}

/* Most calls come from there; of a lock, from outside of its functions. */
static bool
find_caller(const struct plan *p, const struct row *hot, struct row *caller)
{
	const bool lock = is_lock(hot->name);
	struct row next;

	if (!rows_first(p, "callers", hot->name, caller))
		return false;
	while (lock && is_lock(caller->name) &&
	       rows_first(p, "callers", caller->name, &next) &&
	       strcmp(next.name, caller->name) != 0)
		*caller = next;
	return lock || rows_plain(caller->name);
}

/* What most of the running time goes to. */
static void
add_hot(const struct plan *p, const struct row *hot, struct buf *lines)
{
	const bool lock = is_lock(hot->name);
	const double share = 100 * (lock ? hot->share : hot->total);
	const bool loop = !lock && share >= LOOP_SHARE;
	struct row caller, holder;

	if (!rows_plain(hot->name) || share < (lock ? LOCK_SHARE : HOT_SHARE) ||
	    !find_caller(p, hot, &caller))
		return;
	/* --base tells itself what has become more */
	if ((!lock && p->o->in_base) || (loop && 100 * hot->share < HOT_SHARE))
		return;
	if (lock && !rows_first(p, "while", hot->name, &holder))
		return;
	buf_printf(lines, "%.0f %% of what runs is in %s, most below %s", share,
	    hot->name, msg_str(caller.name));
	if (!lock)
		add_why(p, loop, caller.name, lines);
	else
		add_holder(p, hot->name, caller.name, lines);
}

/* What stands out in what runs. */
static void
add_running(const struct plan *p, struct row *running, struct buf *lines)
{
	const double before = share_before(p);

	if (p->o->from == NULL && 100 * before >= HOT_SHARE)
		buf_printf(lines,
		    "%.0f %% of what runs is before the kernel: --from 'TEXT' "
		    "begins at a line of the guest's log\n",
		    100 * before);
	if (!p->o->in_base && irq_find(p, lines))
		return;
	if (100 * running->share < HOT_SHARE && !is_lock(running->name))
		read_inner(p, running);
	add_hot(p, running, lines);
}

bool
lead_lacks_threads(const struct plan *p)
{
	return p->o->waiting && !idle_knows_threads(p);
}

void
lead_find(const struct plan *p, struct buf *lines)
{
	struct row running = {0}, halted = {0};
	double runs, idle;

	if (p->form > FORM_FOLDED || p->o->exact || panic_find(p, lines) ||
	    (p->form != FORM_SVG && !p->o->in_base))
		return;
	read_states(p, &running, &halted);
	prefer_lock(p, &running);
	if (p->o->waiting && !lead_lacks_threads(p)) {
		/* who waits for a lock may spin */
		if (!p->o->in_base && is_lock(running.name) &&
		    rows_samples(&running) >= SAMPLES)
			add_hot(p, &running, lines);
		if (!p->o->in_base)
			waits_find(p, lines);
		return;
	}
	runs = rows_samples(&running);
	idle = rows_samples(&halted);
	if (runs + idle < SAMPLES)
		add_few(p, runs + idle, lines);
	if (runs >= SAMPLES)
		add_running(p, &running, lines);
	/* where one of the CPUs is busy, the guest does not wait */
	if (runs + idle >= SAMPLES && !idle_ended(p, lines) &&
	    100 * idle >= IDLE_SHARE * (runs + idle) &&
	    100 * runs * (double)rows_cpus(p) < BUSY_SHARE * (runs + idle))
		idle_add(p, 100 * idle / (runs + idle), lines);
}
