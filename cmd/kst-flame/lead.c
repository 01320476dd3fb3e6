/* SPDX-License-Identifier: ISC */
#include "lead.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "flame.h"
#include "lock-row.h"
#include "names/rx.h"

/* Samples that a share is taken of, and shares in percent. */
enum { SAMPLES = 100, IDLE_SHARE = 50, LOCK_SHARE = 20, HOT_SHARE = 50 };
/* What a function does itself, if its callees are counted, too; a busy CPU. */
enum { OWN_SHARE = 10, BUSY_SHARE = 90 };

/* A row of a group of kst-top's table. */
struct top {
	char name[160];
	double self, share, total; /* two shares of the group, 0 to 1 */
};

static double
samples_of(const struct top *t)
{
	return t->share > 0 ? t->self / t->share : 0;
}

/*
 * A row `NAME,self,total,self_share,...` that begins at `row`. False: there is
 * none, or its name needs quotes, as no symbol of C does.
 */
static bool
read_row(const char *row, struct top *t)
{
	const size_t n = strcspn(row, ",\n");
	char *end;

	if (n == 0 || n >= sizeof t->name || row[n] != ',' || *row == '"')
		return false;
	memcpy(t->name, row, n);
	t->name[n] = 0;
	t->self = strtod(row + n + 1, &end);
	end = *end == ',' ? strchr(end + 1, ',') : NULL;
	t->share = end ? strtod(end + 1, &end) : 0;
	t->total = end && *end == ',' ? strtod(end + 1, NULL) : 0;
	return true;
}

/* The first row of a table; false: it has none. */
static bool
first_row(
    const struct plan *p, const char *how, const char *name, struct top *t)
{
	struct words w = {0};
	char *text, *row;
	bool has;

	words_add(&w, "kst-top");
	words_add(&w, "--csv");
	words_add(&w, "--rows=1");
	words_addf(&w, "--%s=^%s$", how, name);
	text = steps_output(p, &w);
	row = text ? strchr(text, '\n') : NULL;
	has = row != NULL && read_row(row + 1, t);
	free(text);
	return has;
}

/* kst-top's table of groups, with so many rows of each; free() it. */
static char *
table_of(const struct plan *p, const char *by, const char *sort, int rows)
{
	struct words w = {0};

	words_add(&w, "kst-top");
	words_add(&w, "--csv");
	words_addf(&w, "--by=%s", by);
	words_addf(&w, "--sort=%s", sort);
	words_addf(&w, "--rows=%d", rows);
	return steps_output(p, &w);
}

/* The first rows of what runs and what is halted. */
static void
read_states(const struct plan *p, struct top *running, struct top *halted)
{
	char *text, *rest, *row;

	rest = text = table_of(p, "state", "self", 1);
	while (text && (row = strsep(&rest, "\n")) != NULL)
		if (strncmp(row, "running,", 8) == 0)
			read_row(row + 8, running);
		else if (strncmp(row, "halted,", 7) == 0)
			read_row(row + 7, halted);
	free(text);
}

/* The innermost function that half of what runs is in, with its callees. */
static void
read_inner(const struct plan *p, struct top *inner)
{
	char *text, *rest, *row;
	struct top t;

	rest = text = table_of(p, "state", "total", 40);
	while (text && (row = strsep(&rest, "\n")) != NULL)
		if (strncmp(row, "running,", 8) == 0 && read_row(row + 8, &t) &&
		    100 * t.total >= HOT_SHARE && 100 * t.share >= OWN_SHARE)
			*inner = t;
	free(text);
}

/* The share of what runs before the kernel does: in firmware, and in its boot.
 */
static double
share_before(const struct plan *p)
{
	char *text, *rest, *row;
	double share = 0;
	struct top t;

	rest = text = table_of(p, "state", "total", 40);
	while (text && (row = strsep(&rest, "\n")) != NULL)
		if (strncmp(row, "running,[", 9) == 0 &&
		    read_row(row + 8, &t) &&
		    (strcmp(t.name, "[firmware]") == 0 ||
			strcmp(t.name, "[boot]") == 0))
			share += t.total;
	free(text);
	return share;
}

static size_t
count_cpus(const struct plan *p)
{
	char *text = table_of(p, "cpu", "self", 1);
	size_t n = 0;

	for (const char *row = text; row && (row = strchr(row, '\n')) != NULL;
	     row++)
		n += row[1] != 0;
	free(text);
	return n;
}

/* Whether a name stands for itself in a pattern, and in a shell. */
static bool
is_plain(const char *name)
{
	if (!isalpha((unsigned char)*name) && *name != '_')
		return false;
	while (isalnum((unsigned char)*name) || *name == '_')
		name++;
	return *name == 0;
}

static bool
is_lock(const char *name)
{
	struct buf none = BUF_INIT; /* this pattern has no fault */
	struct rx *rx = rx_new(LOCK, strlen(LOCK), &none);
	bool is = rx != NULL && rx_match(rx, name, strlen(name)) == 1;

	rx_free(rx);
	buf_done(&none);
	return is;
}

static void
add_idle(const struct plan *p, double share, struct buf *lines)
{
	const struct options *o = p->o;

	buf_printf(lines, "idle %.0f %%: the guest waits; ", share);
	if (p->argv)
		buf_adds(lines, "--waiting draws what threads wait for, too "
				"(Linux, xv6, LK)\n");
	else
		buf_printf(lines,
		    "'kst threads -e %s' shows for what (Linux, xv6, LK)\n",
		    o->elf.n > 0 ? o->elf.use[0].arg
		    : p->kernel	 ? p->kernel
				 : "KERNEL");
}

/* What most of the running time goes to. */
static void
add_hot(const struct plan *p, const struct top *hot, struct buf *lines)
{
	const char *kept = p->o->keep ? p->o->keep : "cap.txt";
	const bool lock = is_lock(hot->name);
	const double share = 100 * (lock ? hot->share : hot->total);
	struct top caller, holder;

	if (!is_plain(hot->name) || share < (lock ? LOCK_SHARE : HOT_SHARE) ||
	    !first_row(p, "callers", hot->name, &caller) ||
	    !is_plain(caller.name))
		return;
	if (lock && !first_row(p, "while", hot->name, &holder))
		return;
	buf_printf(lines,
	    "%.0f %% of what runs is in %s, most below %s: ", share, hot->name,
	    caller.name);
	if (lock)
		buf_printf(lines,
		    "'kst top --while %s %s' shows what the other CPUs do "
		    "meanwhile%s%s\n",
		    hot->name, kept,
		    p->o->keep ? ""
			       : "; keep the capture "
				 "with --keep ",
		    p->o->keep ? "" : kept);
	else
		buf_adds(lines,
		    "is it called more, is each call slower, or does one not end? "
		    "compare two sizes with --exact\n");
}

void
lead_find(const struct plan *p, struct buf *lines)
{
	struct top running = {0}, halted = {0};
	double runs, idle, before;

	if (p->form != FORM_SVG || p->o->exact || p->o->waiting)
		return;
	read_states(p, &running, &halted);
	runs = samples_of(&running);
	idle = samples_of(&halted);
	/* where one of the CPUs is busy, the guest does not wait */
	if (runs + idle >= SAMPLES &&
	    100 * idle >= IDLE_SHARE * (runs + idle) &&
	    100 * runs * (double)count_cpus(p) < BUSY_SHARE * (runs + idle))
		add_idle(p, 100 * idle / (runs + idle), lines);
	if (runs < SAMPLES)
		return;
	before = share_before(p);
	if (p->o->from == NULL && 100 * before >= HOT_SHARE)
		buf_printf(lines,
		    "%.0f %% of what runs is before the kernel: --from 'TEXT' "
		    "begins at a line of the guest's log\n",
		    100 * before);
	if (100 * running.share < HOT_SHARE && !is_lock(running.name))
		read_inner(p, &running);
	add_hot(p, &running, lines);
}
