/* SPDX-License-Identifier: ISC */
#include "threads.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "io/out.h"
#include "names/demangle.h"
#include "profile/table.h"
#include "text/quote.h"

enum { WIDTH = 78 };

/* Threads with the same stack in the same state: v[first] to v[first + n]. */
struct group {
	size_t first, n;
	unsigned rank; /* running CPUs, other CPUs, threads */
};

static const struct capture *sorted; /* qsort() has no argument for it */

static int
compare_stacks(const struct thread *x, const struct thread *y)
{
	if (x->n != y->n)
		return x->n < y->n ? -1 : 1;
	return x->n == 0
		   ? 0
		   : memcmp(sorted->frames + x->at, sorted->frames + y->at,
			 x->n * sizeof *sorted->frames);
}

static int
compare_threads(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;
	const int stacks = compare_stacks(x, y);

	if (x->is_cpu != y->is_cpu)
		return x->is_cpu ? -1 : 1;
	if (stacks != 0)
		return stacks;
	if (x->state != y->state)
		return x->state < y->state ? -1 : 1;
	if (x->why != y->why)
		return x->why < y->why ? -1 : 1;
	/* kst-capture and gdb write the last one first */
	return x->place > y->place ? -1 : 1;
}

static int
compare_groups(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return sorted->v[x->first].place > sorted->v[y->first].place ? -1 : 1;
}

static size_t
make_groups(const struct capture *c, struct group **groups)
{
	size_t n = 0, cap = 0, len;
	const char *state;

	*groups = NULL;
	for (size_t i = 0; i < c->n; i++) {
		const struct thread *t = &c->v[i], *last = i ? t - 1 : NULL;

		if (last && last->is_cpu == t->is_cpu &&
		    compare_stacks(last, t) == 0 && last->state == t->state &&
		    last->why == t->why) {
			(*groups)[n - 1].n++;
			continue;
		}
		state = table_name_text(c->table, t->state, &len);
		*xpush(*groups, n, cap) = (struct group){.first = i,
		    .n = 1,
		    .rank = !t->is_cpu			      ? 2
			    : bytes_is(state, len, "running") ? 0
							      : 1};
	}
	return n;
}

bool
thread_name(const struct capture *c, const struct thread *t, struct piece *name,
    uint64_t *number)
{
	static const char mark[] = ", pid ";
	const size_t n = sizeof mark - 1;
	size_t len, i;
	const char *p = table_name_text(c->table, t->name, &len);

	for (i = len; i > 0 && p[i - 1] >= '0' && p[i - 1] <= '9';)
		i--;
	*name = (struct piece){p, len};
	if (num_u64(p + i, len - i, number) != 0)
		return false;
	if (bytes_is(p, i, mark + 2)) /* a thread without a name */
		name->len = 0;
	else if (i >= n && memcmp(p + i - n, mark, n) == 0)
		name->len = i - n;
	else
		return false;
	return true;
}

/* Its name and its number, `sh 88`; without a name `pid 88`. */
static void
add_name(struct buf *b, const struct capture *c, const struct thread *t)
{
	struct piece name;
	uint64_t number;
	const bool numbered = thread_name(c, t, &name, &number);

	buf_add(b, name.p, name.len);
	if (numbered)
		buf_printf(b, "%s %" PRIu64, name.len > 0 ? "" : "pid", number);
}

/* An idle loop may spin, so that `halted` would contradict its stack. */
static const char *
state_of(const struct capture *c, const struct thread *t, size_t *len)
{
	const char *state = table_name_text(c->table, t->state, len);

	if (!t->is_cpu || !bytes_is(state, *len, "halted"))
		return state;
	*len = strlen("idle");
	return "idle";
}

/* `CPU#0 [running]`, `12 threads [waiting]: kthreadd 2, ...`; may wrap names.
 */
static void
put_head(const struct capture *c, const struct group *g, bool wrap)
{
	const struct thread *t = &c->v[g->first];
	struct buf b = BUF_INIT;
	size_t len, column;
	const char *state = state_of(c, t, &len);

	if (g->n > 1)
		buf_printf(&b, "%zu %s", g->n, t->is_cpu ? "CPUs" : "threads");
	else
		add_name(&b, c, t);
	if (!bytes_is(state, len, "[unknown]"))
		buf_printf(&b, " [%.*s]", (int)len, state);
	quote_term(b.p, b.len, 0);
	column = b.len;
	for (size_t i = 0; g->n > 1 && i < g->n; i++) {
		b.len = 0;
		add_name(&b, c, &t[i]);
		out_puts(i ? "," : ":");
		if (wrap && column + b.len + 3 > WIDTH) {
			out_puts("\n   ");
			column = 3;
		}
		out_puts(" ");
		quote_term(b.p, b.len, 0);
		column += b.len + 2;
	}
	buf_done(&b);
}

/* A place such as `FILE:LINE`, not one such as a library. */
static bool
is_line(const char *p, size_t len)
{
	size_t n = len;

	while (n > 0 && p[n - 1] >= '0' && p[n - 1] <= '9')
		n--;
	return n < len && n > 1 && p[n - 1] == ':';
}

/*
 * A function's name, demangled: the stacks are for people. Then its line, if
 * there is one after a tab. Returns whether there is.
 */
static bool
put_name(const char *p, size_t len, bool lines)
{
	struct buf plain = BUF_INIT;
	const char *tab = lines ? memrchr(p, '\t', len) : NULL, *end = p + len;

	if (tab != NULL)
		len = (size_t)(tab - p);
	demangle_plain(p, len, &plain);
	if (plain.len > 0)
		quote_term(plain.p, plain.len, 0);
	else
		quote_term(p, len, 0);
	buf_done(&plain);
	if (tab == NULL || !is_line(tab + 1, (size_t)(end - tab) - 1))
		return false;
	out_puts(" at ");
	quote_term(tab + 1, (size_t)(end - tab) - 1, 0);
	return true;
}

static bool
put_stack(
    const struct capture *c, const struct group *g, const struct options *o)
{
	const bool brief = o->brief;
	bool placed = false;
	const size_t n = c->v[g->first].n;
	const uint32_t *names = c->frames + c->v[g->first].at;
	const char *why;
	size_t len;

	out_puts(brief ? ": " : "\n");
	for (size_t i = n; i-- > 0;) {
		const char *p = table_name_text(c->table, names[i], &len);

		out_puts(!brief ? "    " : i + 1 < n ? " < " : "");
		placed |= put_name(p, len, o->lines);
		if (!brief)
			out_puts("\n");
	}
	why = table_name_text(c->table, c->v[g->first].why, &len);
	if (len > 0) {
		out_puts(brief ? " (" : "    (");
		quote_term(why, len, 0);
		out_puts(brief ? ")" : ")\n");
	}
	out_puts("\n");
	return placed;
}

bool
show(struct capture *c, const struct options *o)
{
	struct group *groups;
	size_t n;
	bool placed = false;

	if (c->n == 0)
		return false;
	sorted = c;
	qsort(c->v, c->n, sizeof *c->v, compare_threads);
	n = make_groups(c, &groups);
	qsort(groups, n, sizeof *groups, compare_groups);
	for (size_t i = 0; i < n; i++) {
		put_head(c, &groups[i], !o->brief);
		placed |= put_stack(c, &groups[i], o);
	}
	free(groups);
	return placed;
}
