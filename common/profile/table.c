/* SPDX-License-Identifier: ISC */
#include "profile/table.h"

#include <stdlib.h>

#include "set/intern.h"
#include "base/xalloc.h"

struct table *
table_new(void)
{
	struct table *t = xcalloc(1, sizeof *t);

	t->columns = 1;
	t->names = intern_new();
	t->stacks = intern_new();
	return t;
}

static void
free_stacks(struct table *t)
{
	intern_free(t->stacks);
	free(t->adds);
	free(t->counts);
}

void
table_free(struct table *t)
{
	if (t == NULL)
		return;
	free_stacks(t);
	buf_done(&t->name);
	intern_free(t->names);
	free(t);
}

void
table_seal(struct table *t)
{
	intern_seal(t->names);
	intern_seal(t->stacks);
}

uint32_t
table_name(struct table *t, const char *name, size_t len)
{
	return intern_id(t->names, name, len);
}

uint32_t
table_any_name(struct table *t, const char *name, size_t len)
{
	t->name.len = 0;
	folded_add_name(&t->name, name, len);
	return table_name(t, t->name.p, t->name.len);
}

uint32_t
table_stacks(const struct table *t)
{
	return intern_count(t->stacks);
}

size_t
table_frames(const struct table *t)
{
	return t->frames;
}

uint32_t
table_names(const struct table *t)
{
	return intern_count(t->names);
}

struct count *
table_count(const struct table *t, uint32_t stack, size_t column)
{
	return &t->counts[stack * t->columns + column];
}

const uint32_t *
table_stack(const struct table *t, uint32_t stack, size_t *n)
{
	const char *ids = intern_str(t->stacks, stack, n);

	*n /= sizeof(uint32_t);
	return (const uint32_t *)(const void *)ids;
}

uint32_t *
table_edit(const struct table *t, uint32_t stack, size_t *n)
{
	return (uint32_t *)(uintptr_t)table_stack(t, stack, n);
}

const char *
table_name_text(const struct table *t, uint32_t name, size_t *len)
{
	return intern_str(t->names, name, len);
}

void
table_watch(struct table *t, size_t column, table_watcher *watcher, void *arg)
{
	t->columns = 2;
	t->column = column;
	t->watcher = watcher;
	t->watcher_arg = arg;
}

/* c * to / from, rounded down; doubles would lose digits of large counts. */
static void
scale(struct count *c, const struct count *from, const struct count *to)
{
	const long double one = 1e18L;
	long double v =
	    ((long double)c->whole + (long double)c->frac / one) *
	    ((long double)to->whole + (long double)to->frac / one) /
	    ((long double)from->whole + (long double)from->frac / one);

	c->whole = v < 0x1p64L ? (uint64_t)v : UINT64_MAX;
	c->frac = 0;
}

void
table_scale(struct table *t, const struct count *from, const struct count *to)
{
	for (uint32_t i = 0; i < table_stacks(t); i++)
		scale(table_count(t, i, 0), from, to);
}

uint32_t
table_find(struct table *t, const uint32_t *names, size_t n)
{
	uint32_t before = table_stacks(t);
	uint32_t id =
	    intern_id(t->stacks, (const char *)names, n * sizeof *names);

	if (id < before)
		return id;
	t->frames += n;
	t->counts = xgrow0(t->counts, (id + 1) * t->columns, &t->counts_cap,
	    sizeof *t->counts);
	(void)xitem_zeroed(t->adds, id, t->adds_cap);
	return id;
}

int
table_add(
    struct table *t, const uint32_t *names, size_t n, const struct count *count)
{
	uint32_t stack;

	/* the total is at least as large as each count */
	if (count_add(&t->total, count) != 0)
		return -1;
	stack = table_find(t, names, n);
	count_add(table_count(t, stack, t->column), count);
	t->adds[stack] += t->adds[stack] != UINT32_MAX;
	if (t->watcher)
		t->watcher(t->watcher_arg, stack, count);
	return 0;
}

/* Splits a name, which is returned, into the count after its last blank and
 * the rest; NULL if it cannot be split. */
static const char *
split_name(const struct table *t, uint32_t id, size_t *len, struct count *c)
{
	struct folded_line f;
	const char *p = intern_str(t->names, id, len);

	if (folded_parse(p, *len, &f) != FOLDED_STACK || f.len_if_one == 0)
		return NULL;
	*len = f.len_if_one;
	*c = f.count[f.n_counts - 1];
	return p;
}

int
table_split(struct table *t)
{
	struct table old = *t;
	struct count c;
	size_t len, n;

	for (uint32_t i = 0; i < table_stacks(t); i++) {
		const uint32_t *ids = table_stack(t, i, &n);

		if (n == 0 || !split_name(t, ids[n - 1], &len, &c))
			return -1;
	}
	*t = (struct table){.names = old.names,
	    .stacks = intern_new(),
	    .name = old.name,
	    .total = old.total,
	    .columns = 2};
	for (uint32_t i = 0; i < table_stacks(&old); i++) {
		uint32_t *ids = table_edit(&old, i, &n), id;
		struct count first = {0};
		const char *name = split_name(t, ids[n - 1], &len, &c);

		ids[n - 1] = intern_id(t->names, name, len);
		id = table_find(t, ids, n);
		for (uint32_t k = 0; k < old.adds[i]; k++)
			if (count_add(&first, &c) != 0)
				t->overflows++;
		if (count_add(table_count(t, id, 0), &first) != 0 ||
		    count_add(table_count(t, id, 1), table_count(&old, i, 0)) !=
			0)
			t->overflows++;
	}
	free_stacks(&old);
	return 0;
}
