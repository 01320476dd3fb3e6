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

/* The first row of a group of kst-top's table, by self weight. */
struct top {
	char name[160];
	double self, share; /* of the group, 0 to 1 */
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
	t->share = end ? strtod(end + 1, NULL) : 0;
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

/* The first rows of what runs and what is halted. */
static void
read_states(const struct plan *p, struct top *running, struct top *halted)
{
	struct words w = {0};
	char *text, *rest, *row;

	words_add(&w, "kst-top");
	words_add(&w, "--csv");
	words_add(&w, "--by=state");
	words_add(&w, "--sort=self");
	words_add(&w, "--rows=1");
	rest = text = steps_output(p, &w);
	while (text && (row = strsep(&rest, "\n")) != NULL)
		if (strncmp(row, "running,", 8) == 0)
			read_row(row + 8, running);
		else if (strncmp(row, "halted,", 7) == 0)
			read_row(row + 7, halted);
	free(text);
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
				"(Linux, xv6)\n");
	else
		buf_printf(lines,
		    "'kst threads -e %s' shows for what (Linux, xv6)\n",
		    o->elf.n > 0 ? o->elf.use[0].arg
		    : p->kernel	 ? p->kernel
				 : "KERNEL");
}

/* What most of the running time goes to. */
static void
add_hot(const struct plan *p, const struct top *hot, struct buf *lines)
{
	const char *kept = p->o->keep ? p->o->keep : "cap.txt";
	const double share = 100 * hot->share;
	const bool lock = is_lock(hot->name);
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
		buf_adds(lines, "is it called more, or is each call slower? "
				"compare two sizes with --exact\n");
}

void
lead_find(const struct plan *p, struct buf *lines)
{
	struct top running = {0}, halted = {0};
	double runs, idle;

	if (p->form != FORM_SVG || p->o->exact || p->o->waiting)
		return;
	read_states(p, &running, &halted);
	runs = samples_of(&running);
	idle = samples_of(&halted);
	if (runs + idle >= SAMPLES && 100 * idle >= IDLE_SHARE * (runs + idle))
		add_idle(p, 100 * idle / (runs + idle), lines);
	if (runs >= SAMPLES)
		add_hot(p, &running, lines);
}
