/* SPDX-License-Identifier: ISC */
/*
 * Everything is worked out from the table each time: a walk over all distinct
 * stacks, some ten milliseconds for 100,000 of them.
 */
#include "rank.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "names/rx.h"
#include "profile/table.h"

enum { KNOWN = 1, FOCUS = 2, IGNORE = 4, MIDDLE = 8, ONLY = 16 };

/* What a name has been added to last, and its row there. */
struct rank_seen {
	uint64_t group, stack;
	size_t row;
};

const char *
rank_name(const struct rank *r, uint32_t name, size_t *len)
{
	static const char *const none[] = {"[root]", "[leaf]"};

	if (name >= RANK_NAMES)
		return table_name_text(r->table, name - RANK_NAMES, len);
	*len = strlen(none[name]);
	return none[name];
}

static bool
matches(struct rank *r, struct rx *rx, const char *text, size_t len)
{
	int n = rx ? rx_match(rx, text, len) : 0;

	r->too_hard += n == RX_LIMIT;
	return n > 0;
}

/* Which patterns a name matches; each is asked once for it. */
static uint8_t
bits_of(struct rank *r, uint32_t name)
{
	const struct rank_view *v = r->view;
	uint8_t *b = xat0(r->bits, name, r->bits_cap);
	const char *text;
	size_t len;

	if (*b & KNOWN)
		return *b;
	text = table_name_text(r->table, name, &len);
	*b = KNOWN;
	*b |= matches(r, v->focus, text, len) ? FOCUS : 0;
	*b |= matches(r, v->ignore, text, len) ? IGNORE : 0;
	*b |= matches(r, v->callers ? v->callers : v->callees, text, len)
		  ? MIDDLE
		  : 0;
	*b |= matches(r, v->only, text, len) ? ONLY : 0;
	return *b;
}

const uint32_t *
rank_frames(const struct rank *r, uint32_t stack, size_t *n)
{
	const uint32_t *frame = table_stack(r->table, stack, n);
	size_t skip = r->view->roots;

	if (skip >= *n)
		skip = *n ? *n - 1 : 0;
	*n -= skip;
	return frame + skip;
}

static bool
is_wanted(struct rank *r, uint32_t stack)
{
	const struct rank_view *v = r->view;
	const struct count *c = table_count(r->table, stack, 0);
	uint8_t all = 0;
	size_t n;
	const uint32_t *frame = rank_frames(r, stack, &n);

	if (n == 0 || (c->whole == 0 && c->frac == 0))
		return false;
	if (!v->focus && !v->ignore && !v->callers && !v->callees)
		return true;
	for (size_t i = 0; i < n; i++)
		all |= bits_of(r, frame[i]);
	return (!v->focus || all & FOCUS) && !(all & IGNORE) &&
	       (!(v->callers || v->callees) || all & MIDDLE);
}

/* Adds a stack to a row: to its total once, however often it is in it. */
static void
add(struct rank *r, uint32_t name, const struct count *c, bool is_self)
{
	struct rank_seen *s = xat0(r->seen, name, r->seen_cap);

	if (s->group != r->group) {
		s->group = r->group;
		s->row = r->n_rows;
		rank_add_row(r)->name = name;
	}
	/* the table's total, which is larger, fits */
	if (s->stack != r->stack)
		count_add(&r->rows[s->row].total, c);
	s->stack = r->stack;
	if (is_self)
		count_add(&r->rows[s->row].self, c);
}

/* Adds a stack to its functions, or to those around the ones asked for. */
static void
spread(struct rank *r, uint32_t stack)
{
	const struct rank_view *v = r->view;
	const struct count *c = table_count(r->table, stack, 0);
	size_t n;
	const uint32_t *frame = rank_frames(r, stack, &n);

	r->stack++;
	for (size_t i = 0; i < n; i++) {
		bool is_leaf = i + 1 == n;

		if (!v->callers && !v->callees)
			add(r, frame[i] + RANK_NAMES, c, is_leaf);
		else if (!(bits_of(r, frame[i]) & MIDDLE))
			continue;
		else if (v->callers)
			add(r, i ? frame[i - 1] + RANK_NAMES : RANK_NO_CALLER,
			    c, is_leaf);
		else
			add(r,
			    is_leaf ? RANK_NO_CALLEE
				    : frame[i + 1] + RANK_NAMES,
			    c, i + 2 >= n);
	}
}

struct rank_row *
rank_add_row(struct rank *r)
{
	struct rank_row *row = xadd(r->rows, r->n_rows, r->rows_cap);

	*row = (struct rank_row){0};
	return row;
}

int
rank_compare(const void *va, const void *vb, void *rank)
{
	const struct rank_row *a = va, *b = vb;
	const struct rank *r = rank;
	bool by_self = r->view->sort == RANK_SELF && !r->view->tree;
	const struct count *x = by_self ? &a->self : &a->total,
			   *y = by_self ? &b->self : &b->total;
	size_t a_len, b_len;
	const char *a_name, *b_name;

	if (r->view->sort != RANK_NAME && x->whole != y->whole)
		return x->whole > y->whole ? -1 : 1;
	if (r->view->sort != RANK_NAME && x->frac != y->frac)
		return x->frac > y->frac ? -1 : 1;
	a_name = rank_name(r, a->name, &a_len);
	b_name = rank_name(r, b->name, &b_len);
	return bytes_cmp(a_name, a_len, b_name, b_len);
}

/* Rows that the filter does not show are taken out. */
static void
only(struct rank *r, size_t from)
{
	size_t n = from;

	for (size_t i = from; i < r->n_rows; i++)
		if (r->rows[i].name >= RANK_NAMES &&
		    bits_of(r, r->rows[i].name - RANK_NAMES) & ONLY)
			r->rows[n++] = r->rows[i];
	r->n_rows = n;
}

/* A group of n stacks. */
static void
add_group(struct rank *r, uint32_t *stacks, size_t n)
{
	struct rank_group *g = xadd(r->groups, r->n_groups, r->groups_cap);
	size_t depth;

	*g = (struct rank_group){.row = r->n_rows};
	if (r->view->by >= 0)
		g->name =
		    table_stack(r->table, stacks[0], &depth)[r->view->by] +
		    RANK_NAMES;
	for (size_t i = 0; i < n; i++)
		count_add(&g->total, table_count(r->table, stacks[i], 0));
	count_add(&r->total, &g->total);
	r->group++;
	if (r->view->tree)
		rank_tree(r, stacks, n, r->view->min * count_real(&g->total));
	else
		for (size_t i = 0; i < n; i++)
			spread(r, stacks[i]);
	if (r->view->only)
		only(r, g->row);
	g->n_rows = r->n_rows - g->row;
	if (!r->view->tree && g->n_rows)
		qsort_r(r->rows + g->row, g->n_rows, sizeof *r->rows,
		    rank_compare, r);
}

/* Stacks of one group stand together, groups in the order of their names. */
static int
compare_groups(const void *va, const void *vb, void *rank)
{
	const struct rank *r = rank;
	size_t n, a_len, b_len;
	uint32_t a =
	    table_stack(r->table, *(const uint32_t *)va, &n)[r->view->by];
	uint32_t b =
	    table_stack(r->table, *(const uint32_t *)vb, &n)[r->view->by];
	const char *p, *q;

	if (a == b)
		return 0;
	p = table_name_text(r->table, a, &a_len);
	q = table_name_text(r->table, b, &b_len);
	/* CPU#2 before CPU#10 */
	if (a_len != b_len && a_len && b_len &&
	    isdigit((unsigned char)p[a_len - 1]) &&
	    isdigit((unsigned char)q[b_len - 1]))
		return a_len < b_len ? -1 : 1;
	return bytes_cmp(p, a_len, q, b_len);
}

static bool
same_group(const struct rank *r, uint32_t a, uint32_t b)
{
	size_t n;
	int by = r->view->by;

	return by < 0 || table_stack(r->table, a, &n)[by] ==
			     table_stack(r->table, b, &n)[by];
}

void
rank_make(struct rank *r, const struct table *t, const struct rank_view *v)
{
	size_t n = 0;

	r->table = t;
	r->view = v;
	r->n_rows = r->n_groups = 0;
	memset(&r->total, 0, sizeof r->total);
	r->stacks = xgrow(
	    r->stacks, table_stacks(t) + 1, &r->stacks_cap, sizeof *r->stacks);
	for (uint32_t i = 0; i < table_stacks(t); i++)
		if (is_wanted(r, i))
			r->stacks[n++] = i;
	if (v->by >= 0 && n)
		qsort_r(r->stacks, n, sizeof *r->stacks, compare_groups, r);
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1;
		     to < n && same_group(r, r->stacks[from], r->stacks[to]);
		     to++)
			;
		add_group(r, r->stacks + from, to - from);
	}
}

void
rank_forget(struct rank *r)
{
	if (r->bits)
		memset(r->bits, 0, r->bits_cap);
}

void
rank_done(struct rank *r)
{
	free(r->rows);
	free(r->groups);
	free(r->bits);
	free(r->seen);
	free(r->stacks);
}
