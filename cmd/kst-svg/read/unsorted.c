/* SPDX-License-Identifier: ISC */
/*
 * Stacks in any order. Lines that follow each other begin alike: frames that
 * the last one has, too, keep their numbers.
 */
#include "read/read.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "profile/table.h"
#include "profile/table_write.h"

struct unsorted {
	struct table *table;
	struct buf last; /* the stack added last */
	uint32_t *names; /* its names, and where they end in the text */
	size_t *ends, n, cap, ends_cap;
	int n_counts;
};

struct unsorted *
unsorted_new(void)
{
	struct unsorted *u = xcalloc(1, sizeof *u);

	u->table = table_new();
	u->n_counts = 1;
	return u;
}

void
unsorted_free(struct unsorted *u)
{
	if (u == NULL)
		return;
	table_free(u->table);
	buf_done(&u->last);
	free(u->names);
	free(u->ends);
	free(u);
}

/* The names of a stack of which `same` bytes are as in the last one. */
static void
split(struct unsorted *u, const char *stack, size_t len, size_t same)
{
	const char *p = stack, *end = stack + len, *stop;
	size_t n = 0;

	while (n < u->n && u->ends[n] < same)
		n++;
	p += n > 0 ? u->ends[n - 1] + 1 : 0;
	for (; len > 0 && p <= end; p = stop + 1) {
		stop = memchr(p, ';', (size_t)(end - p));
		stop = stop ? stop : end;
		*xitem(u->ends, n, u->ends_cap) = (size_t)(stop - stack);
		*xpush(u->names, n, u->cap) =
		    table_name(u->table, p, (size_t)(stop - p));
	}
	u->n = n;
}

int
unsorted_add(struct unsorted *u, const char *stack, size_t len,
    const struct count *counts, int n_counts)
{
	size_t same = bytes_shared(stack, len, u->last.p, u->last.len);
	uint32_t id;
	int status = 0;

	split(u, stack, len, same);
	u->last.len = same;
	buf_add(&u->last, stack + same, len - same);
	if (n_counts > u->n_counts) { /* of the first stack */
		table_watch(u->table, 0, NULL, NULL);
		u->n_counts = n_counts;
	}
	id = table_find(u->table, u->names, u->n);
	for (int k = 0; k < n_counts; k++)
		status |=
		    count_add(table_count(u->table, id, (size_t)k), &counts[k]);
	return status;
}

/* Each name is that of a frame, and each stack but an empty one ends in one. */
size_t
unsorted_frames(const struct unsorted *u)
{
	size_t names = table_names(u->table), stacks = table_stacks(u->table);

	return stacks > names ? stacks - 1 : names;
}

struct giving {
	const struct unsorted *u;
	unsorted_taker *take;
	void *arg;
};

static void
give(void *giving, uint32_t stack, const char *text, size_t len)
{
	const struct giving *g = giving;
	weight w[2] = {0, 0};

	for (int k = 0; k < g->u->n_counts; k++)
		w[k] = weight_of(table_count(g->u->table, stack, (size_t)k));
	g->take(g->arg, text, len, w, stack);
}

void
unsorted_give(
    struct unsorted *u, bool leaf_first, unsorted_taker *take, void *arg)
{
	struct giving g = {u, take, arg};

	table_texts(u->table, leaf_first, give, &g);
}
