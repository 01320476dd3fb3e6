/* SPDX-License-Identifier: ISC */
/*
 * A renamed function is a loss and a gain. Two such rows are taken for one if
 * they have the same main callers and callees, and names that differ in one
 * place: `send` and `send_locked`, `f.isra.0` and `f.isra.1`.
 */
#include <stdlib.h>

#include "set/hash.h"
#include "base/xalloc.h"
#include "measure.h"
#include "profile/table.h"

enum {
	MAIN_PART = 10,	    /* callers of less than a tenth do not count */
	LONERS_MAX = 20000, /* else the sides have little in common */
	ALIKE_MAX = 1000,   /* where all look alike, none is */
	NAME_PART = 60, /* per cent of the longer name that have to be equal */
	FULL = 1 << 16	/* edges */
};

/* Instead of a name: that there is no frame, or the function itself. */
#define NO_FRAME UINT32_MAX
#define ITSELF (UINT32_MAX - 1)

/* A row with weight on one side alone. */
struct loner {
	struct row *row;
	uint64_t neighbours; /* hash of its main callers and callees */
	double weight;
};

/* How often a loner has that caller or callee. */
struct edge {
	uint64_t key; /* the loner's number << 33 | is a callee << 32 | name */
	double weight;
};

struct edges {
	struct edge *v;
	size_t n, cap, full; /* so many are put together again */
};

static int
compare_edges(const void *va, const void *vb)
{
	const struct edge *a = va, *b = vb;

	return (a->key > b->key) - (a->key < b->key);
}

/* Equal edges become one. */
static void
put_together(struct edges *e)
{
	size_t n = 0;

	if (e->n)
		qsort(e->v, e->n, sizeof *e->v, compare_edges);
	for (size_t i = 0; i < e->n; i++)
		if (n && e->v[n - 1].key == e->v[i].key)
			e->v[n - 1].weight += e->v[i].weight;
		else
			e->v[n++] = e->v[i];
	e->n = n;
	e->full = 2 * n + FULL;
}

/* All edges; loner_of: by name, a loner's number and 1. */
static void
find_edges(const struct profile *p, const uint32_t *loner_of,
    struct loner *loners, struct edges *e)
{
	for (uint32_t s = 0; s < table_stacks(p->table); s++) {
		double weight = count_real(table_count(p->table, s, 0)) +
				count_real(table_count(p->table, s, 1));
		size_t n;
		const uint32_t *frame = table_stack(p->table, s, &n);

		/* names of no weight have no key */
		for (size_t i = 0; i < n && weight > 0; i++) {
			uint64_t l = loner_of[frame[i]];
			uint32_t near[2] = {NO_FRAME, NO_FRAME};

			if (l == 0)
				continue;
			if (i > 0)
				near[0] = frame[i - 1];
			if (i + 1 < n)
				near[1] = frame[i + 1];
			loners[l - 1].weight += weight;
			if (e->n >= e->full)
				put_together(e);
			for (uint64_t k = 0; k < 2; k++)
				*xpush(e->v, e->n, e->cap) = (struct edge){
				    (l - 1) << 33 | k << 32 |
					(near[k] == frame[i] ? ITSELF
							     : near[k]),
				    weight};
		}
	}
	put_together(e);
}

static void
hash_edges(const struct edges *e, struct loner *loners)
{
	for (size_t i = 0; i < e->n; i++) {
		struct loner *l = &loners[e->v[i].key >> 33];
		uint64_t key[2] = {l->neighbours, e->v[i].key << 31};

		if (e->v[i].weight * MAIN_PART >= l->weight)
			l->neighbours = hash_bytes(key, sizeof key);
	}
}

/* Per cent of the longer name that both have at their ends. */
static size_t
likeness(const struct profile *p, const struct row *a, const struct row *b)
{
	size_t head = 0, tail = 0, x_len, y_len, shorter;
	const char *x =
	    table_name_text(p->table, a->key[0] - p->n_marks, &x_len);
	const char *y =
	    table_name_text(p->table, b->key[0] - p->n_marks, &y_len);

	shorter = x_len < y_len ? x_len : y_len;
	while (head < shorter && x[head] == y[head])
		head++;
	while (
	    tail < shorter - head && x[x_len - 1 - tail] == y[y_len - 1 - tail])
		tail++;
	return 100 * (head + tail) / (x_len + y_len - shorter);
}

static int
compare_loners(const void *va, const void *vb)
{
	const struct loner *a = va, *b = vb;

	if (a->neighbours != b->neighbours)
		return a->neighbours < b->neighbours ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static bool
has_only(const struct row *r, int side)
{
	return r && r->key[0] == r->key[1] && count_real(r->weight[side]) > 0;
}

/* Joins the rows of a group of loners with the same neighbours. */
static void
join(const struct measure *m, struct loner *v, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct row *lost = v[i].row;
		struct loner *best = NULL;
		size_t most = NAME_PART - 1;

		for (size_t k = 0; k < n && has_only(lost, 0); k++) {
			size_t alike = has_only(v[k].row, 1)
					   ? likeness(m->p, lost, v[k].row)
					   : 0;

			if (alike > most) {
				most = alike;
				best = &v[k];
			}
		}
		if (best == NULL)
			continue;
		lost->key[1] = best->row->key[1];
		lost->weight[1] = best->row->weight[1];
		lost->change = measure_row(m, lost->key);
		best->row->weight[0] = NULL;
		best->row = NULL;
	}
}

static bool
is_loner(const struct row *r)
{
	double a = count_real(r->weight[0]), b = count_real(r->weight[1]);

	return (a <= 0 || b <= 0) && a + b >= TEST_MIN;
}

size_t
measure_renames(const struct measure *m, struct row *rows, size_t n)
{
	const struct profile *p = m->p;
	uint32_t *loner_of = xcalloc(p->n_keys + 1, sizeof *loner_of);
	struct loner *loners = xcalloc(n + 1, sizeof *loners);
	struct edges e = {0};
	size_t n_loners = 0, left = 0;

	for (size_t i = 0; i < n; i++)
		if (is_loner(&rows[i])) {
			loners[n_loners++].row = &rows[i];
			loner_of[rows[i].key[0] - p->n_marks] =
			    (uint32_t)n_loners;
		}
	if (n_loners <= LONERS_MAX)
		find_edges(p, loner_of, loners, &e);
	hash_edges(&e, loners);
	qsort(loners, n_loners, sizeof *loners, compare_loners);
	for (size_t i = 0, to; i < n_loners; i = to) {
		for (to = i; to < n_loners &&
			     loners[to].neighbours == loners[i].neighbours;
		     to++)
			;
		if (to - i <= ALIKE_MAX && e.n)
			join(m, loners + i, to - i);
	}
	for (size_t i = 0; i < n; i++)
		if (rows[i].weight[0])
			rows[left++] = rows[i];
	measure_test(m, rows, left);
	free(e.v);
	free(loners);
	free(loner_of);
	return left;
}
