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
#include "base/port.h"
#include "base/xalloc.h"
#include "names/name.h"
#include "names/rx.h"
#include "profile/table.h"

enum { FOCUS = 1, IGNORE = 2, MIDDLE = 4, KNOWN = 8 };
/* More names are added up in slices: two million take 15 MB, not 120. */
enum { MANY = 1 << 18, SLICES = 8 };

/* The group and stack that a name was last added to, and its row there. */
struct rank_seen {
	uint32_t group, stack, row;
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

/* Which patterns a name matches; each is asked once for it. */
static uint8_t
bits_of(struct rank *r, uint32_t name)
{
	const struct rank_view *v = r->view;
	struct rx *rx[] = {v->focus, v->ignore, v->middle};
	uint8_t *b = xitem_zeroed(r->bits, name, r->bits_cap);

	for (int i = 0; !(*b & KNOWN) && i < 3; i++) {
		size_t len;
		const char *text = table_name_text(r->table, name, &len);
		int n = rx[i] ? rx_match(rx[i], text, name_line(text, len)) : 0;

		r->too_hard += n == RX_LIMIT;
		*b |= n > 0 ? FOCUS << i : 0;
	}
	return *b |= KNOWN;
}

/* A stack's functions, root first: at least one. */
static const uint32_t *
frames_of(const struct rank *r, uint32_t stack, size_t *n)
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
	const uint32_t *frame = frames_of(r, stack, &n);

	if (n == 0 || (c->whole == 0 && c->frac == 0))
		return false;
	if (!v->focus && !v->ignore && !v->middle)
		return true;
	for (size_t i = 0; i < n; i++)
		all |= bits_of(r, frame[i]);
	return (!v->focus || all & FOCUS) && !(all & IGNORE) &&
	       (!v->middle || all & MIDDLE);
}

/* Adds a stack to a row: to its total once, however often it is in it. */
static void
add(struct rank *r, uint32_t name, const struct count *c, bool is_self)
{
	struct rank_seen *s;

	if (name - r->slice >= r->slice_len)
		return;
	s = &r->seen[name - r->slice];
	if (s->group != r->group) {
		s->group = r->group;
		s->row = (uint32_t)r->n_rows;
		*xpush(r->rows, r->n_rows, r->rows_cap) =
		    (struct rank_row){.name = name};
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
	const uint32_t *frame = frames_of(r, stack, &n);

	r->stack++;
	for (size_t i = 0; i < n; i++) {
		size_t row = v->callers ? i - 1 : v->callees ? i + 1 : i;

		if (v->middle && !(bits_of(r, frame[i]) & MIDDLE))
			continue;
		add(r,
		    row < n	 ? frame[row] + RANK_NAMES
		    : v->callers ? RANK_NO_CALLER
				 : RANK_NO_CALLEE,
		    c, v->callers ? i + 1 == n : row + 1 >= n);
	}
}

static int
compare_rows(const void *va, const void *vb, void *rank)
{
	const struct rank_row *a = va, *b = vb;
	const struct rank *r = rank;
	bool by_self = r->view->sort == RANK_SELF && !r->view->tree;
	const struct count *x = by_self ? &a->self : &a->total,
			   *y = by_self ? &b->self : &b->total;
	int c = r->view->sort == RANK_NAME ? 0 : count_cmp(y, x);
	size_t a_len, b_len;
	const char *p, *q;

	if (c)
		return c;
	p = rank_name(r, a->name, &a_len);
	q = rank_name(r, b->name, &b_len);
	return bytes_cmp(p, a_len, q, b_len);
}

/* Takes out the rows that the filter does not show. */
static void
filter(struct rank *r, size_t from)
{
	size_t n = from, len;

	for (size_t i = from; i < r->n_rows; i++) {
		const char *text = rank_name(r, r->rows[i].name, &len);

		if (r->rows[i].name >= RANK_NAMES &&
		    rx_match(r->view->only, text, len) > 0)
			r->rows[n++] = r->rows[i];
	}
	r->n_rows = n;
}

struct node {
	struct rank_row row; /* first, for compare_rows() */
	size_t from, to;
	uint32_t level; /* of its frame in the stack */
};

struct nodes {
	struct node *v;
	size_t n, cap;
};

static int
compare_stacks(const void *va, const void *vb, void *rank)
{
	size_t a_n, b_n, i = 0;
	const uint32_t *a = frames_of(rank, *(const uint32_t *)va, &a_n);
	const uint32_t *b = frames_of(rank, *(const uint32_t *)vb, &b_n);

	while (i < a_n && i < b_n && a[i] == b[i])
		i++;
	if (i == a_n || i == b_n)
		return (a_n > b_n) - (a_n < b_n);
	return a[i] < b[i] ? -1 : 1;
}

/* The first comes last: nodes are taken from the end. */
static int
compare_nodes(const void *a, const void *b, void *rank)
{
	return compare_rows(b, a, rank);
}

/*
 * Makes a node for each function at that level of the stacks from..to, which
 * are alike down to there. Those that end above it have none.
 */
static void
split(struct rank *r, struct nodes *all, const uint32_t *stacks,
    const struct node *of, uint32_t level, double min)
{
	size_t begin = all->n;
	struct node *node = NULL;

	for (size_t i = of->from; i < of->to; i++) {
		const struct count *c = table_count(r->table, stacks[i], 0);
		size_t n;
		const uint32_t *frame = frames_of(r, stacks[i], &n);

		if (n <= level)
			continue;
		if (node == NULL ||
		    node->row.name != frame[level] + RANK_NAMES) {
			node = xpush(all->v, all->n, all->cap);
			*node = (struct node){.level = level, .from = i};
			node->row.name = frame[level] + RANK_NAMES;
			node->row.depth = of->row.depth + (level > 0);
			node->row.times = 1;
		}
		node->to = i + 1;
		count_add(&node->row.total, c);
		if (n == (size_t)level + 1)
			count_add(&node->row.self, c);
	}
	for (size_t i = begin; i < all->n;)
		if (count_real(&all->v[i].row.total) < min)
			all->v[i] = all->v[--all->n];
		else
			i++;
	port_sort(
	    all->v + begin, all->n - begin, sizeof *all->v, compare_nodes, r);
}

/* Whether a row's only child is the function itself, and all of its weight. */
static bool
is_recursion(const struct rank_row *of, const struct rank_row *child)
{
	return of && of->name == child->name && child->depth == of->depth + 1 &&
	       count_cmp(&of->total, &child->total) == 0;
}

/*
 * Adds a row for each node of a tree of n stacks that has at least that
 * weight, callers before what they call. One that calls nothing but itself is
 * one row with what it calls. Changes the order of the stacks.
 *
 * In sorted order, stacks that begin alike stand together: a node is a range of
 * them, from a depth on. Only ranges that are shown are split, so the tree of a
 * million stacks takes no more memory than its rows.
 */
static void
add_tree(struct rank *r, uint32_t *stacks, size_t n, double min)
{
	struct nodes todo = {0};
	struct node all = {.from = 0, .to = n};
	struct rank_row *last = NULL;
	size_t before = SIZE_MAX; /* nodes left when `last` was taken */

	port_sort(stacks, n, sizeof *stacks, compare_stacks, r);
	split(r, &todo, stacks, &all, 0, min);
	while (todo.n) {
		struct node node = todo.v[--todo.n];

		if (todo.n == before && is_recursion(last, &node.row)) {
			last->times++;
			last->self = node.row.self;
			node.row.depth--;
		} else {
			last = xpush(r->rows, r->n_rows, r->rows_cap);
			*last = node.row;
		}
		before = todo.n;
		split(r, &todo, stacks, &node, node.level + 1, min);
	}
	free(todo.v);
}

/* The root frame that says which group a stack is in. */
static uint32_t
root_of(const struct rank *r, uint32_t stack)
{
	size_t n;

	return table_stack(r->table, stack, &n)[r->view->by];
}

/* Adds the rows of functions, slice by slice, the best of each. */
static void
add_functions(struct rank *r, const uint32_t *stacks, size_t n)
{
	uint32_t names = table_names(r->table) + RANK_NAMES;
	size_t begin = r->n_rows, keep = r->view->keep;

	for (r->slice = 0; r->slice < names; r->slice += r->slice_len) {
		r->group++;
		for (size_t i = 0; i < n; i++)
			spread(r, stacks[i]);
		if (r->view->only)
			filter(r, begin);
		port_sort(r->rows + begin, r->n_rows - begin, sizeof *r->rows,
		    compare_rows, r);
		if (keep && r->n_rows - begin > keep)
			r->n_rows = begin + keep;
	}
}

/* A group of n stacks. */
static void
add_group(struct rank *r, uint32_t *stacks, size_t n)
{
	struct rank_group *g = xpush(r->groups, r->n_groups, r->groups_cap);

	*g = (struct rank_group){.row = r->n_rows};
	if (r->view->by >= 0)
		g->name = root_of(r, stacks[0]) + RANK_NAMES;
	for (size_t i = 0; i < n; i++)
		count_add(&g->total, table_count(r->table, stacks[i], 0));
	count_add(&r->total, &g->total);
	if (r->view->tree)
		add_tree(r, stacks, n, r->view->min * count_real(&g->total));
	else
		add_functions(r, stacks, n);
	if (r->view->tree && r->view->only)
		filter(r, g->row);
	g->n_rows = r->n_rows - g->row;
	if (r->view->keep && g->n_rows > r->view->keep)
		g->n_rows = r->view->keep;
}

/* Stacks of one group stand together: what runs first, then by names. */
static int
compare_groups(const void *va, const void *vb, void *rank)
{
	const struct rank *r = rank;
	uint32_t a = root_of(r, *(const uint32_t *)va);
	uint32_t b = root_of(r, *(const uint32_t *)vb);
	size_t a_len, b_len;
	const char *p = table_name_text(r->table, a, &a_len),
		   *q = table_name_text(r->table, b, &b_len);

	if (a == b)
		return 0;
	if (bytes_is(p, a_len, "running") || bytes_is(q, b_len, "running"))
		return bytes_is(p, a_len, "running") ? -1 : 1;
	/* CPU#2 before CPU#10 */
	if (a_len != b_len && a_len && b_len &&
	    isdigit((unsigned char)p[a_len - 1]) &&
	    isdigit((unsigned char)q[b_len - 1]))
		return a_len < b_len ? -1 : 1;
	return bytes_cmp(p, a_len, q, b_len);
}

void
rank_make(struct rank *r, const struct table *t, const struct rank_view *v)
{
	uint32_t names = table_names(t) + RANK_NAMES;
	size_t n = 0;

	r->table = t;
	r->view = v;
	r->n_rows = r->n_groups = 0;
	r->group = r->stack = 0;
	memset(&r->total, 0, sizeof r->total);
	r->slice_len = v->keep && names > MANY ? names / SLICES + 1 : names;
	free(r->seen);
	r->seen = xcalloc(r->slice_len, sizeof *r->seen);
	r->stacks =
	    xreallocn(r->stacks, table_stacks(t) + 1, sizeof *r->stacks);
	for (uint32_t i = 0; i < table_stacks(t); i++)
		if (is_wanted(r, i))
			r->stacks[n++] = i;
	if (v->by >= 0)
		port_sort(r->stacks, n, sizeof *r->stacks, compare_groups, r);
	for (size_t from = 0, to; from < n; from = to) {
		to = from + 1;
		while (to < n && (v->by < 0 || root_of(r, r->stacks[to]) ==
						   root_of(r, r->stacks[from])))
			to++;
		add_group(r, r->stacks + from, to - from);
	}
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
