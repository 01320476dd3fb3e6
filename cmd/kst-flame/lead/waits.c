/* SPDX-License-Identifier: ISC */
/*
 * Threads that are in one place all the time are daemons, unless there are no
 * others: then the guest hangs, and they tell where.
 */
#include "lead/waits.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "flame.h"
#include "facts/again.h"
#include "facts/scan.h"
#include "classes-row.h"
#include "names/rx.h"
#include "text/folded.h"

/* Lines, functions and names of threads that are shown. */
enum { LINES = 3, FUNCTIONS = 3, NAMES = 3 };

/* Of the captures, in percent: less is not worth a line. */
enum { SHARE = 5 };

/* A thread's stack, of the folded text. */
struct entry {
	struct piece thread;
	char *functions; /* `leaf < caller < caller` */
	double n;	 /* samples */
	bool always;	 /* in each capture */
};

/* Threads in the same functions. */
struct group {
	const char *functions;
	double n;
	struct piece name[NAMES];
	size_t names, threads;
};

struct waits {
	struct entry *entry;
	size_t n, cap;
	struct group *group;
	size_t n_groups, cap_groups;
	struct rx *scheduler;
};

/* The innermost functions that are not the scheduler's own. */
static char *
functions_of(const struct waits *w, const char *stack, size_t len)
{
	struct buf b = BUF_INIT;
	size_t n = 0, end = len;

	while (end > 0 && n < FUNCTIONS) {
		size_t at = end;

		while (at > 0 && stack[at - 1] != ';')
			at--;
		if (n > 0 || at == 0 || w->scheduler == NULL ||
		    rx_match(w->scheduler, stack + at, end - at) != 1)
			buf_printf(&b, "%s%s", n++ ? " < " : "",
			    msg_text(stack + at, end - at));
		end = at > 0 ? at - 1 : 0;
	}
	return (char *)buf_str(&b); /* the caller frees it */
}

static bool
is_idle(struct piece thread)
{
	for (size_t i = 0; i + 4 <= thread.len; i++)
		if (strncasecmp(thread.p + i, "idle", 4) == 0)
			return true;
	return false;
}

/* A line `THREAD;STATE;root;...;leaf COUNT`. */
static void
add_entry(struct waits *w, const char *line)
{
	static const char *const left_out[] = {
	    "[asleep since the start]", "[truncated]"};
	struct folded_line f;
	struct entry e = {0};
	const char *state, *stack, *end;

	if (folded_parse(line, strlen(line), &f) != FOLDED_STACK ||
	    (state = memchr(f.stack, ';', f.len)) == NULL)
		return;
	e.thread = (struct piece){f.stack, (size_t)(state++ - f.stack)};
	end = f.stack + f.len;
	stack = memchr(state, ';', (size_t)(end - state));
	if (stack == NULL || is_idle(e.thread) ||
	    (!bytes_is(state, (size_t)(stack - state), "waiting") &&
		!bytes_is(state, (size_t)(stack - state), "disk")))
		return;
	stack++;
	for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
		if (bytes_starts(stack, (size_t)(end - stack), left_out[i]))
			return;
	e.n = count_real(&f.count[0]);
	e.functions = functions_of(w, stack, (size_t)(end - stack));
	*xpush(w->entry, w->n, w->cap) = e;
}

static int
more_first(double a, double b)
{
	return a > b ? -1 : a < b;
}

static int
compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return x->n != y->n ? more_first(x->n, y->n)
			    : strcmp(x->thread.p, y->thread.p);
}

static int
compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return x->n != y->n ? more_first(x->n, y->n)
			    : strcmp(x->functions, y->functions);
}

/* Of `sh, pid 88` only the name. */
static struct piece
name_of(struct piece thread)
{
	size_t i = thread.len;

	while (i > 0 && isdigit((unsigned char)thread.p[i - 1]))
		i--;
	if (i < thread.len && i > 6 &&
	    memcmp(thread.p + i - 6, ", pid ", 6) == 0)
		thread.len = i - 6;
	return thread;
}

static void
add_to_group(struct waits *w, const struct entry *e)
{
	const struct piece name = name_of(e->thread);
	struct group *g = NULL;

	for (size_t i = 0; i < w->n_groups && g == NULL; i++)
		if (strcmp(w->group[i].functions, e->functions) == 0)
			g = &w->group[i];
	if (g == NULL) {
		g = xpush(w->group, w->n_groups, w->cap_groups);
		*g = (struct group){.functions = e->functions};
	}
	g->n += e->n;
	g->threads++;
	for (const struct entry *o = w->entry; o < e; o++)
		if (strcmp(o->functions, e->functions) == 0 &&
		    bytes_same(o->thread.p, o->thread.len, e->thread.p,
			e->thread.len)) {
			g->threads--;
			return;
		}
	if (g->names < NAMES)
		g->name[g->names++] = name;
}

static void
make_groups(struct waits *w, const struct plan *p)
{
	struct scan s = {0};
	bool others = false;

	scan_read(&s, p);
	qsort(w->entry, w->n, sizeof *w->entry, compare_entries);
	for (struct entry *e = w->entry; e < w->entry + w->n; e++) {
		e->always = scan_always(&s, e->thread.p, e->thread.len);
		for (const struct entry *o = w->entry;
		     e->always && o < w->entry + w->n; o++)
			e->always =
			    o == e || !bytes_same(o->thread.p, o->thread.len,
					  e->thread.p, e->thread.len);
		others |= !e->always;
	}
	for (const struct entry *e = w->entry; e < w->entry + w->n; e++)
		if (!e->always || !others)
			add_to_group(w, e);
	if (w->n_groups > 0)
		qsort(w->group, w->n_groups, sizeof *w->group, compare_groups);
	while (w->n_groups > 0 &&
	       100 * w->group[w->n_groups - 1].n < SHARE * (double)s.n)
		w->n_groups--;
	scan_done(&s);
}

static void
say(const struct group *g, struct buf *lines)
{
	const size_t more = g->threads - g->names;

	for (size_t i = 0; i < g->names; i++)
		buf_printf(lines, "%s%s", i ? ", " : "",
		    msg_text(g->name[i].p, g->name[i].len));
	if (more > 0)
		buf_printf(lines, " and %zu more", more);
	buf_printf(
	    lines, " wait%s in %s\n", g->threads == 1 ? "s" : "", g->functions);
}

void
waits_find(const struct plan *p, struct buf *lines)
{
	struct buf none = BUF_INIT; /* this pattern has no fault */
	struct waits w = {
	    .scheduler = rx_new(SCHEDULER, strlen(SCHEDULER), &none)};
	struct words fold = {0};
	char *text, *rest, *line;

	words_add(&fold, "kst-fold");
	words_add(&fold, "--by=thread,state");
	words_add(&fold, "--mark-truncated");
	rest = text = steps_output(p, &fold, false);
	while (text && (line = strsep(&rest, "\n")) != NULL)
		add_entry(&w, line);
	make_groups(&w, p);
	for (size_t i = 0; i < w.n_groups && i < LINES; i++)
		say(&w.group[i], lines);
	if (w.n_groups > 0 && p->argv) {
		buf_adds(lines, "what runs between two waits: kst count");
		again_count(p, "--trace --last 2e5", "1e8", lines);
		buf_adds(lines, " | kst span --summary\n");
	} else if (w.n_groups > 0) {
		buf_adds(lines, "the whole stacks, at one moment: kst threads");
		again_guest(p, lines);
		buf_addc(lines, '\n');
	}
	for (size_t i = 0; i < w.n; i++)
		free(w.entry[i].functions);
	free(w.entry);
	free(w.group);
	free(text);
	rx_free(w.scheduler);
	buf_done(&none);
}
