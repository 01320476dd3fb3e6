/* SPDX-License-Identifier: ISC */
/* Stacks counted in a hash table. */
#include "profile/table.h"

#include <stdlib.h>
#include <string.h>

#include "set/hash.h"
#include "set/intern.h"
#include "base/msg.h"
#include "base/xalloc.h"

struct table *
table_new(void)
{
	struct table *t = xcalloc(1, sizeof *t);

	t->names = intern_new();
	slots_init(&t->slots);
	return t;
}

void
table_free(struct table *t)
{
	if (t == NULL)
		return;
	intern_free(t->names);
	free(t->entries);
	slots_done(&t->slots);
	free(t->ids);
	free(t);
}

void
table_seal(struct table *t)
{
	uint32_t n = t->slots.n;

	intern_seal(t->names);
	slots_done(&t->slots);
	t->slots = (struct slots){.n = n};
}

uint32_t
table_name(struct table *t, const char *name, size_t len)
{
	return intern_id(t->names, name, len);
}

size_t
table_stacks(const struct table *t)
{
	return t->slots.n;
}

const struct count *
table_count(const struct table *t, uint32_t stack, int column)
{
	return &t->entries[stack].count[column];
}

const uint32_t *
table_stack(const struct table *t, uint32_t stack, size_t *n)
{
	*n = t->entries[stack].n;
	return t->ids + t->entries[stack].at;
}

const char *
table_name_text(const struct table *t, uint32_t name, size_t *len)
{
	return intern_str(t->names, name, len);
}

void
table_watch(struct table *t, int column, table_watcher *watcher, void *arg)
{
	t->differential = true;
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
	for (uint32_t i = 0; i < t->slots.n; i++)
		scale(&t->entries[i].count[0], from, to);
}

struct stack {
	const uint32_t *names;
	size_t n;
};

static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct table *t = of;
	const struct table_entry *e = &t->entries[id];
	const struct stack *k = key;

	return e->n == k->n && (k->n == 0 || memcmp(t->ids + e->at, k->names,
						 k->n * sizeof *k->names) == 0);
}

uint32_t
table_find(struct table *t, const uint32_t *names, size_t n)
{
	const struct stack key = {names, n};
	uint64_t hash = hash_bytes(names, n * sizeof *names);
	uint32_t id = slots_find(&t->slots, hash, same, t, &key);
	struct table_entry *e;

	if (id != SLOTS_NONE)
		return id;
	id = t->slots.n;
	slots_add(&t->slots, hash);
	t->entries =
	    xgrow(t->entries, (size_t)id + 1, &t->cap, sizeof *t->entries);
	/* also of an empty stack there is an address */
	t->ids = xgrow(t->ids, t->ids_len + n + 1, &t->ids_cap, sizeof *t->ids);
	e = &t->entries[id];
	memset(e, 0, sizeof *e);
	e->at = t->ids_len;
	e->n = (uint32_t)n;
	if (n)
		memcpy(t->ids + t->ids_len, names, n * sizeof *names);
	t->ids_len += n;
	return id;
}

int
table_add(
    struct table *t, const uint32_t *names, size_t n, const struct count *count)
{
	struct table_entry *e;
	uint32_t stack;

	/* the total is at least as large as each count */
	if (count_add(&t->total, count) != 0)
		return -1;
	stack = table_find(t, names, n);
	e = &t->entries[stack];
	count_add(&e->count[t->column], count);
	if (e->adds != UINT32_MAX)
		e->adds++;
	if (t->watcher)
		t->watcher(t->watcher_arg, stack, count);
	return 0;
}

/* Splits a name into the count after its last blank and the rest. */
static bool
split_name(const struct table *t, uint32_t id, size_t *len, struct count *c)
{
	struct folded_line f;
	const char *p = intern_str(t->names, id, len);

	if (folded_parse(p, *len, &f) != FOLDED_STACK || f.len_if_one == 0)
		return false;
	*len = f.len_if_one;
	*c = f.count[f.n_counts - 1];
	return true;
}

int
table_split(struct table *t)
{
	struct table_entry *old = t->entries;
	struct count c, first;
	size_t n = t->slots.n, len;

	for (size_t i = 0; i < n; i++)
		if (old[i].n == 0 ||
		    !split_name(t, t->ids[old[i].at + old[i].n - 1], &len, &c))
			return -1;
	t->entries = NULL;
	t->cap = 0;
	slots_clear(&t->slots);
	for (size_t i = 0; i < n; i++) {
		uint32_t *ids = xmalloc(old[i].n * sizeof *ids);
		uint32_t last = old[i].n - 1, id;
		struct table_entry *e;
		const char *name;

		memcpy(ids, t->ids + old[i].at, old[i].n * sizeof *ids);
		name = intern_str(t->names, ids[last], &len);
		split_name(t, ids[last], &len, &c);
		ids[last] = intern_id(t->names, name, len);
		id = table_find(t, ids, old[i].n);
		e = &t->entries[id]; /* may have moved */
		free(ids);
		memset(&first, 0, sizeof first);
		for (uint32_t k = 0; k < old[i].adds; k++)
			if (count_add(&first, &c) != 0)
				t->overflows++;
		if (count_add(&e->count[0], &first) != 0 ||
		    count_add(&e->count[1], &old[i].count[0]) != 0)
			t->overflows++;
	}
	free(old);
	t->differential = true;
	return 0;
}
