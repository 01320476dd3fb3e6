/* SPDX-License-Identifier: ISC */
#include "trace/ring.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "trace/spans.h"

/*
 * Records that are kept, at first and at most; those that --last asks for
 * beyond are not.
 */
enum { AT_FIRST = 1 << 14, AT_MOST = 1 << 25 };

static struct {
	struct trace_ask ask;
	FILE *f;
	struct trace_head head;
	struct record *v; /* a ring of a power of two */
	size_t size;
	uint64_t first, end; /* numbers of the records that it has */
	struct record last;  /* the one noted last; as it is not to come */
	bool any;	     /* one was noted */
	/* How stacks were before the first record; size 0: not known. */
	struct record *before;
	bool *has_before;
} all;

static struct record *
at(uint64_t i)
{
	return &all.v[i & (all.size - 1)];
}

bool
ring_open(const struct trace_ask *ask, uint64_t in)
{
	spans_init(ask, in);
	all.ask = *ask;
	if (!ask->on)
		return true;
	all.f = fopen(ask->path, "r+e");
	if (all.f == NULL)
		return false;
	fwrite(&all.head, sizeof all.head, 1, all.f);
	all.size = AT_FIRST;
	all.v = xcalloc(all.size, sizeof *all.v);
	if (ask->last) {
		all.before = xcalloc(TRACE_STACKS, sizeof *all.before);
		all.has_before = xcalloc(TRACE_STACKS, 1);
	}
	return true;
}

static void
put(const struct record *r)
{
	fwrite(r, sizeof *r, 1, all.f);
	all.head.records++;
}

/* The first record leaves the ring: to the file, or as what was before. */
static void
pass_first(void)
{
	struct record r = *at(all.first++);

	if (all.ask.last == 0) {
		put(&r);
		return;
	}
	r.flags = RECORD_BEFORE;
	all.before[r.stack] = r;
	all.has_before[r.stack] = true;
}

/*
 * Twice the size, or the first record leaves. A full ring has one record at
 * each place: half of the new places are theirs, so those that stay are not
 * touched, and large memory is not copied.
 */
static void
make_room(void)
{
	const size_t size = all.size;

	if (size == AT_MOST) {
		pass_first();
		return;
	}
	all.v = xreallocn(all.v, 2 * size, sizeof *all.v);
	for (uint64_t i = all.first; i < all.end; i++)
		if (i & size)
			all.v[i & (2 * size - 1)] = all.v[i & (size - 1)];
		else /* up to the next that moves */
			i |= size - 1;
	all.size = 2 * size;
}

/* All that are left, in two pieces at most. */
static void
put_rest(void)
{
	while (all.first < all.end) {
		const size_t from = all.first & (all.size - 1),
			     left = all.end - all.first,
			     n = left < all.size - from ? left
							: all.size - from;

		fwrite(&all.v[from], sizeof *all.v, n, all.f);
		all.head.records += n;
		all.first += n;
	}
}

/* Records that nothing depends on leave: those older than asked for, or all
 * that no short call may end in.
 */
static void
pass_old(uint64_t now)
{
	const uint64_t keep = all.ask.last ? all.ask.last : all.ask.least;

	/* the one before the first is how all begins */
	while (all.end - all.first > 2 && now > keep &&
	       at(all.first + 1)->time < now - keep)
		pass_first();
}

/* Whether a record says the same CPU, stack and span as another. */
static bool
same(const struct record *a, const struct record *b)
{
	return a->cpu == b->cpu && a->stack == b->stack && a->span == b->span;
}

/*
 * Whether r ends the call that began with the last record, too short a one, in
 * which nothing else was noted.
 */
static bool
ends_short(const struct record *r)
{
	const bool fresh = r->flags & RECORD_FRESH;
	const struct record *call, *before;

	if (all.ask.least == 0 || all.end - all.first < 2)
		return false;
	call = at(all.end - 1);
	before = at(all.end - 2);
	return call->flags == RECORD_FRESH && call->cpu == r->cpu &&
	       call->stack == r->stack &&
	       r->time - call->time < all.ask.least &&
	       spans_depth(r->span) - fresh < spans_depth(call->span) &&
	       before->cpu == r->cpu && before->stack == r->stack &&
	       before->span == spans_parent(call->span);
}

void
ring_note(struct record r)
{
	if (all.any && r.flags == 0 && same(&all.last, &r))
		return;
	if (!all.any)
		all.head.begin = r.time;
	all.any = true;
	all.last = r;
	while (ends_short(&r))
		all.end--;
	if (all.end > all.first && r.flags == 0 && same(at(all.end - 1), &r))
		return;
	pass_old(r.time);
	if (all.end - all.first == all.size)
		make_room();
	*at(all.end++) = r;
}

static int
by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* How stacks were when the records begin, that which ran last. */
static void
put_before(void)
{
	size_t n = 0;

	for (size_t i = 0; i < TRACE_STACKS; i++)
		if (all.has_before[i])
			all.before[n++] = all.before[i];
	qsort(all.before, n, sizeof *all.before, by_time);
	for (size_t i = 0; i < n; i++) {
		all.before[i].time = all.head.begin;
		put(&all.before[i]);
	}
}

bool
ring_end(uint64_t time)
{
	struct trace_head *h = &all.head;
	bool whole;

	if (!all.ask.on)
		return true;

	h->end = time;
	while (all.ask.last && all.first < all.end && time > all.ask.last &&
	       at(all.first)->time < time - all.ask.last)
		pass_first();
	if (all.ask.last && all.first > 0) {
		const uint64_t first =
		    all.first < all.end ? at(all.first)->time : time;
		const uint64_t from =
		    time > all.ask.last ? time - all.ask.last : 0;

		/* of a full ring, from where it is known */
		h->begin = from < first || all.size < AT_MOST ? from : first;
		put_before();
	}
	put_rest();
	spans_write(h, all.f);
	h->size = sizeof *h;
	whole = fflush(all.f) == 0 && fseek(all.f, 0, SEEK_SET) == 0 &&
		fwrite(h, sizeof *h, 1, all.f) == 1;
	return fclose(all.f) == 0 && whole;
}
