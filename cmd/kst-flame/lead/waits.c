/* SPDX-License-Identifier: ISC */
/*
 * Threads that are in one place all the time are daemons, unless there are no
 * others: then the guest hangs, and they tell where. Where threads are few, one
 * of them may be lost: they have lines of their own.
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
#include "facts/rows.h"
#include "facts/scan.h"
#include "classes-row.h"
#include "names/rx.h"
#include "text/folded.h"

/*
 * Lines, functions and names of threads that are shown. Functions that only
 * lock or block do not count, up to FRAMES.
 */
enum { LINES = 3, FUNCTIONS = 3, FRAMES = 6, NAMES = 3 };

/* So many threads are few. */
enum { FEW = 16 };

/* Functions that wait for whatever their callers wait for, and that sleep. */
#define BLOCKS "^_*(?:(?:do|thread|task)_)?(?:block|wait|suspend)(?:ed)?$"
#define SLEEPS \
	"(?:_|nano|usec)sleep$|nanosleep|usleep|idle|(?<![a-z])(?:delay|worker)"

/* What comes first: a lock is more than a time that passes. */
enum rank { LOCKED, OTHER, SLEEPING };

/* Of the captures, in percent: less is not worth a line. */
static const int SHARE[] = {[LOCKED] = 1, [OTHER] = 5, [SLEEPING] = 5};

/* A thread's stack, of the folded text. */
struct entry {
	struct piece thread;
	char *functions; /* `leaf < caller < caller` */
	enum rank rank;
	double n;    /* samples */
	bool always; /* in each capture */
};

/* Threads in the same functions. */
struct group {
	const char *functions;
	enum rank rank;
	bool always;
	double n;
	struct piece name[NAMES];
	size_t names, threads;
};

struct waits {
	struct entry *entry;
	size_t n, cap;
	struct group *group;
	size_t n_groups, cap_groups;
	struct rx *scheduler, *locks, *blocks, *sleeps;
};

static bool
matches(struct rx *rx, const char *name, size_t len)
{
	return rx != NULL && rx_match(rx, name, len) == 1;
}

/*
 * The innermost functions that are not the scheduler's own, and their rank.
 * Returns whether there is only the root: of a worker that has nothing to do.
 */
static bool
find_functions(
    const struct waits *w, const char *stack, size_t len, struct entry *e)
{
	struct buf b = BUF_INIT;
	size_t n = 0, frames = 0, end = len;
	bool sleeps = false, locks = false, skipped = false;

	while (end > 0 && n < FUNCTIONS && frames < FRAMES) {
		size_t at = end;
		const char *name;

		while (at > 0 && stack[at - 1] != ';')
			at--;
		name = stack + at;
		len = end - at;
		end = at > 0 ? at - 1 : 0;
		sleeps |= n == 0 && matches(w->sleeps, name, len);
		if (frames == 0 && at > 0 && matches(w->scheduler, name, len)) {
			skipped = true;
			continue;
		}
		locks |= matches(w->locks, name, len);
		n += !matches(w->locks, name, len) &&
		     !matches(w->blocks, name, len);
		buf_printf(
		    &b, "%s%s", frames++ ? " < " : "", msg_text(name, len));
	}
	e->rank = sleeps ? SLEEPING : locks ? LOCKED : OTHER;
	e->functions = (char *)buf_str(&b); /* waits_find() frees it */
	return skipped && frames == 1 && end == 0;
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
	if (find_functions(w, stack, (size_t)(end - stack), &e)) {
		free(e.functions);
		return;
	}
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

	if (x->always != y->always)
		return x->always ? 1 : -1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
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
		if (w->group[i].always == e->always &&
		    strcmp(w->group[i].functions, e->functions) == 0)
			g = &w->group[i];
	if (g == NULL) {
		g = xpush(w->group, w->n_groups, w->cap_groups);
		*g = (struct group){.functions = e->functions,
		    .rank = e->rank,
		    .always = e->always};
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

/* Leaves those that are not worth a line out. */
static void
sort_groups(struct waits *w, size_t captures)
{
	size_t n = 0;

	for (size_t i = 0; i < w->n_groups; i++)
		if (100 * w->group[i].n >=
		    SHARE[w->group[i].rank] * (double)captures)
			w->group[n++] = w->group[i];
	w->n_groups = n;
	if (n > 0)
		qsort(w->group, n, sizeof *w->group, compare_groups);
}

static void
make_groups(struct waits *w, const struct plan *p)
{
	struct scan s = {0};
	bool others = false, few;

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
	few = s.n_threads <= FEW ||
	      options_use(p->o, STEP_CAPTURE, "threads") != NULL;
	for (struct entry *e = w->entry; e < w->entry + w->n; e++) {
		e->always &= others;
		if (!e->always || few)
			add_to_group(w, e);
	}
	sort_groups(w, s.n);
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
	buf_printf(lines, " wait%s%s in %s\n", g->threads == 1 ? "s" : "",
	    g->always ? " all the time" : "", g->functions);
}

/* Up to LINES of either kind. */
static void
say_groups(const struct waits *w, struct buf *lines)
{
	size_t said = 0;
	bool always = false;

	for (size_t i = 0; i < w->n_groups; i++) {
		if (w->group[i].always != always)
			said = 0;
		always = w->group[i].always;
		if (said++ < LINES)
			say(&w->group[i], lines);
	}
}

/*
 * What others do while a thread waits for a lock: it is in the function that
 * has asked for it, and in what that has called.
 */
static bool
add_meanwhile(const struct plan *p, const struct waits *w,
    const struct group *g, struct buf *lines)
{
	const char *name = g->functions, *inner = NULL, *next;
	struct buf b = BUF_INIT;
	size_t len, inner_len = 0;
	bool is;

	while ((next = strstr(name, " < ")) != NULL) {
		len = (size_t)(next - name);
		if (!matches(w->locks, name, len) &&
		    !matches(w->blocks, name, len))
			break;
		inner = name;
		inner_len = len;
		name = next + 3;
	}
	len = next ? (size_t)(next - name) : strlen(name);
	is = inner && again_while(inner, inner_len, &b) &&
	     again_while(name, len, &b);
	if (is) {
		buf_printf(lines,
		    "what others do meanwhile: kst top%s --by state --tree",
		    buf_str(&b));
		again_kept(p, lines);
	}
	buf_done(&b);
	return is;
}

/* The command for the first group. */
static void
add_next(const struct plan *p, const struct waits *w, struct buf *lines)
{
	const struct group *g = &w->group[0];

	if (g->rank == LOCKED && !g->always && add_meanwhile(p, w, g, lines))
		return;
	if (p->argv && again_counts(p)) {
		buf_adds(lines, "what runs between two waits: kst count");
		again_count(p,
		    rows_cpus(p) > 1 ? "--no-icount --trace --last 2e5"
				     : "--trace --last 2e5",
		    "-n 1e8", lines);
		buf_adds(lines, " | kst span --summary\n");
	} else if (p->argv) { /* the guest has ended */
		buf_adds(lines, "the whole stacks at the end: kst threads "
				"--lines");
		again_guest(p, lines);
		again_kept(p, lines);
	} else {
		buf_adds(lines, "the whole stacks, at one moment: kst threads");
		again_guest(p, lines);
		buf_addc(lines, '\n');
	}
}

static struct rx *
pattern(const char *text)
{
	struct buf none = BUF_INIT; /* ours have no fault */
	struct rx *rx = rx_new(text, strlen(text), &none);

	buf_done(&none);
	return rx;
}

void
waits_find(const struct plan *p, struct buf *lines)
{
	struct waits w = {.scheduler = pattern(SCHEDULER),
	    .locks = pattern(LOCK),
	    .blocks = pattern(BLOCKS),
	    .sleeps = pattern(SLEEPS)};
	struct words fold = {0};
	char *text, *rest, *line;

	words_add(&fold, "kst-fold");
	words_add(&fold, "--by=thread,state");
	words_add(&fold, "--mark-truncated");
	rest = text = steps_output(p, &fold, false);
	while (text && (line = strsep(&rest, "\n")) != NULL)
		add_entry(&w, line);
	make_groups(&w, p);
	say_groups(&w, lines);
	if (w.n_groups > 0)
		add_next(p, &w, lines);
	for (size_t i = 0; i < w.n; i++)
		free(w.entry[i].functions);
	free(w.entry);
	free(w.group);
	free(text);
	rx_free(w.scheduler);
	rx_free(w.locks);
	rx_free(w.blocks);
	rx_free(w.sleeps);
}
