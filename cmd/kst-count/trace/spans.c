/* SPDX-License-Identifier: ISC */
#include "trace/spans.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "set/slots.h"

static struct {
	struct trace_ask ask;
	uint64_t in;
	struct trace_span *v;
	uint32_t *depth; /* of each */
	size_t n, cap, cap_depth;
	struct slots slots;
	uint64_t dropped;
} all;

static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct trace_span *a = (const struct trace_span *)of + id,
				*b = key;

	return a->addr == b->addr && a->parent == b->parent &&
	       a->kind == b->kind;
}

static int
compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint32_t
add(struct trace_span s, uint64_t hash)
{
	uint32_t depth = all.n > SPANS_NONE ? all.depth[s.parent] + 1 : 0;

	slots_add(&all.slots, hash);
	*xpush(all.v, all.n, all.cap) = s;
	*xitem(all.depth, all.n - 1, all.cap_depth) = depth;
	return (uint32_t)all.n - 1;
}

void
spans_init(const struct trace_ask *ask, uint64_t in)
{
	all.ask = *ask;
	all.in = ask->on ? in : 0;
	qsort(all.ask.only, all.ask.n_only, sizeof *all.ask.only, compare);
	slots_init(&all.slots);
	while (all.n <= SPANS_NONE)
		add((struct trace_span){.kind = SPAN_NONE}, 0);
}

void
spans_add(const uint64_t *only, uint32_t n, uint64_t in)
{
	struct trace_ask *a = &all.ask;

	for (uint32_t i = 0; i < n && a->n_only < TRACE_ONLY; i++)
		a->only[a->n_only++] = only[i];
	qsort(a->only, a->n_only, sizeof *a->only, compare);
	all.in = a->on && in ? in : all.in;
}

static bool
is_only(uint64_t addr)
{
	const struct trace_ask *a = &all.ask;

	return bsearch(&addr, a->only, a->n_only, sizeof *a->only, compare);
}

bool
spans_named(uint64_t addr)
{
	return (all.in && addr == all.in) || is_only(addr);
}

bool
spans_begins(uint32_t span, uint32_t parent, uint64_t addr)
{
	return span != parent && all.v[span].addr == addr;
}

static bool
is_wanted(uint32_t parent, uint64_t addr)
{
	const struct trace_ask *a = &all.ask;

	if (all.in && parent == SPANS_NONE && addr != all.in)
		return false;
	if (a->depth && all.depth[parent] >= a->depth)
		return false;
	return !a->only_given || is_only(addr);
}

uint32_t
spans_child(uint32_t parent, enum span_kind kind, uint64_t addr)
{
	const struct trace_span key = {addr, parent, kind};
	const uint64_t hash = (addr ^ (uint64_t)parent << 32 ^ kind) *
			      UINT64_C(0x9e3779b97f4a7c15);
	uint32_t id;

	if (!is_wanted(parent, addr))
		return parent;
	id = slots_find(&all.slots, hash, same, all.v, &key);
	if (id != SLOTS_NONE)
		return id;
	if (all.n >= SPANS_MAX) {
		all.dropped++;
		return parent;
	}
	return add(key, hash);
}

void
spans_move(uint64_t (*to)(uint64_t addr))
{
	for (size_t i = 0; i < all.n; i++)
		all.v[i].addr = to(all.v[i].addr);
}

uint32_t
spans_parent(uint32_t span)
{
	return all.v[span].parent;
}

uint32_t
spans_on(uint32_t span, uint32_t from, uint32_t to)
{
	return span == from
		   ? to
		   : spans_child(to, all.v[span].kind, all.v[span].addr);
}

uint32_t
spans_depth(uint32_t span)
{
	return all.depth[span];
}

void
spans_write(struct trace_head *h, FILE *f)
{
	h->spans = all.n;
	h->dropped = all.dropped;
	fwrite(all.v, sizeof *all.v, all.n, f);
}
