/* SPDX-License-Identifier: ISC */
/* One sweep over sorted ranges with a stack of those that are open. */
#include "elffile/segs.h"

#include <stdlib.h>

#include "set/bound.h"
#include "base/xalloc.h"

static int
cmp(const void *va, const void *vb)
{
	const struct seg_range *a = va, *b = vb;

	if (a->lo != b->lo)
		return a->lo < b->lo ? -1 : 1;
	if (a->hi != b->hi)
		return a->hi > b->hi ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

/* An empty segment gives way to the next; equal ones join. */
static void
emit(struct segs *s, uint64_t start, uint32_t id)
{
	if (s->n > 0 && s->v[s->n - 1].start == start)
		s->n--;
	if (s->n > 0 && s->v[s->n - 1].id == id)
		return;
	s->v[s->n++] = (struct seg){start, id};
}

/*
 * Closes the open ranges that end at or before `at`, from the innermost out;
 * the rest after an inner one belongs to the next outer one that reaches
 * further.
 */
static size_t
close_until(struct segs *s, const struct seg_range *r, const size_t *open,
    size_t depth, uint64_t at)
{
	while (depth > 0 && r[open[depth - 1]].hi <= at) {
		uint64_t pos = r[open[--depth]].hi;

		while (depth > 0 && r[open[depth - 1]].hi <= pos)
			depth--;
		emit(s, pos, depth > 0 ? r[open[depth - 1]].id : SEG_NONE);
	}
	return depth;
}

void
segs_build(struct seg_range *r, size_t n, struct segs *out)
{
	size_t *open = xreallocn(NULL, n + 1, sizeof *open), depth = 0;

	if (n > 0)
		qsort(r, n, sizeof *r, cmp);
	out->v = xreallocn(NULL, n + 1, 2 * sizeof *out->v);
	out->n = 0;
	for (size_t i = 0; i < n; i++) {
		if (r[i].hi <= r[i].lo)
			continue;
		depth = close_until(out, r, open, depth, r[i].lo);
		open[depth++] = i;
		emit(out, r[i].lo, r[i].id);
	}
	close_until(out, r, open, depth, UINT64_MAX);
	out->v = xreallocn(out->v, out->n + 1, sizeof *out->v);
	free(open);
}

void
segs_done(struct segs *s)
{
	free(s->v);
	*s = (struct segs){0};
}

uint32_t
segs_find(const struct segs *s, uint64_t addr)
{
	size_t i = bound_above(
	    s->v, s->n, sizeof *s->v, offsetof(struct seg, start), addr);

	return i == 0 ? SEG_NONE : s->v[i - 1].id;
}
