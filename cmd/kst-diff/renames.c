/* SPDX-License-Identifier: ISC */
/*
 * A renamed function is a loss and a gain. Two such rows are taken for one if
 * they have the same main callers and callees, and names that differ in one
 * place: `send` and `send_locked`, `f.isra.0` and `f.isra.1`. Addresses are
 * alike without being the same function.
 */
#include "renames.h"

#include <stdlib.h>
#include <string.h>

#include "sides/profile.h"
#include "set/hash.h"
#include "set/intern.h"
#include "base/xalloc.h"
#include "measure.h"
#include "profile/table.h"

enum {
	LONER_MIN = 5,	    /* fewer samples say nothing */
	MAIN_PART = 10,	    /* callers of less than a tenth do not count */
	LONERS_MAX = 20000, /* else the sides have little in common */
	ALIKE_MAX = 1000,   /* where all look alike, none is */
	NAME_PART = 60, /* per cent of the longer name that have to be equal */
};

/* Instead of a name: that there is no frame, or the function itself. */
#define NO_FRAME UINT32_MAX
#define ITSELF (UINT32_MAX - 1)

/* A row with weight on one side alone. */
struct loner {
	struct row *row;
	uint64_t neighbours; /* sum of hashes of its main callers and callees */
	double weight;
};

/* A loner's caller or callee: the key of `ids`. */
struct edge {
	uint32_t loner, is_callee, name;
};

struct edges {
	struct intern *ids;
	double *weight; /* how often the loner has it */
	size_t cap;
};

static void
add_edge(struct edges *e, struct edge key, double weight)
{
	uint32_t id = intern_id(e->ids, (const char *)&key, sizeof key);

	*xitem_zeroed(e->weight, id, e->cap) += weight;
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
			uint32_t l = loner_of[frame[i]];
			uint32_t near[2] = {NO_FRAME, NO_FRAME};

			if (l == 0)
				continue;
			if (i > 0)
				near[0] = frame[i - 1];
			if (i + 1 < n)
				near[1] = frame[i + 1];
			loners[l - 1].weight += weight;
			for (uint32_t k = 0; k < 2; k++)
				add_edge(e,
				    (struct edge){l - 1, k,
					near[k] == frame[i] ? ITSELF : near[k]},
				    weight);
		}
	}
}

static void
hash_edges(const struct edges *e, struct loner *loners)
{
	for (uint32_t i = 0; i < intern_count(e->ids); i++) {
		size_t len;
		const struct edge *key =
		    (const void *)intern_str(e->ids, i, &len);
		struct loner *l = &loners[key->loner];

		if (e->weight[i] * MAIN_PART >= l->weight)
			l->neighbours += hash_bytes(
			    &key->is_callee, sizeof *key - sizeof key->loner);
	}
}

/* Per cent of the longer name that both have at their ends. */
static size_t
likeness(const struct profile *p, const struct row *a, const struct row *b)
{
	size_t head = 0, tail = 0, x_len, y_len, shorter;
	const char *x = table_name_text(p->table, a->key[0] - p->first, &x_len);
	const char *y = table_name_text(p->table, b->key[0] - p->first, &y_len);

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
is_loner(const struct profile *p, const struct row *r)
{
	double a = count_real(r->weight[0]), b = count_real(r->weight[1]);
	size_t len;
	const char *name =
	    table_name_text(p->table, r->key[0] - p->first, &len);

	return (a <= 0 || b <= 0) && a + b >= LONER_MIN &&
	       !(len > 2 && memcmp(name, "0x", 2) == 0);
}

size_t
measure_renames(const struct measure *m, struct row *rows, size_t n)
{
	const struct profile *p = m->p;
	uint32_t *loner_of = xcalloc(p->n_keys + 1, sizeof *loner_of);
	struct loner *loners = xcalloc(n + 1, sizeof *loners);
	struct edges e = {.ids = intern_new()};
	size_t n_loners = 0, left = 0;

	for (size_t i = 0; i < n; i++)
		if (is_loner(p, &rows[i])) {
			loners[n_loners++].row = &rows[i];
			loner_of[rows[i].key[0] - p->first] =
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
		if (to - i <= ALIKE_MAX && e.cap)
			join(m, loners + i, to - i);
	}
	for (size_t i = 0; i < n; i++)
		if (rows[i].weight[0])
			rows[left++] = rows[i];
	measure_test(m, rows, left);
	intern_free(e.ids);
	free(e.weight);
	free(loners);
	free(loner_of);
	return left;
}
