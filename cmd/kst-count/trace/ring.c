/* SPDX-License-Identifier: ISC */
#include "trace/ring.h"

#include "base/xalloc.h"
#include "trace/kept.h"
#include "trace/spans.h"

/*
 * Records that a short call may end in, at first and at most; then calls count
 * as long ones.
 */
enum { AT_FIRST = 1 << 10, AT_MOST = 1 << 25 };

static struct {
	struct trace_ask ask;
	FILE *f;
	struct trace_head head;
	struct record *v; /* a ring of a power of two */
	size_t size;
	uint64_t first, end; /* numbers of the records that it has */
	struct record last;  /* the one noted last; as it is not to come */
	bool any;	     /* one was noted */
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
	kept_open(all.f, ask->last);
	all.size = AT_FIRST;
	all.v = xcalloc(all.size, sizeof *all.v);
	return true;
}

static void
pass_first(void)
{
	kept_put(at(all.first++));
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

/* Records that no short call may end in leave. */
static void
pass_old(uint64_t now)
{
	const uint64_t keep = all.ask.least;

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

	if (all.end - all.first < 2)
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
	if (all.ask.least == 0) {
		kept_put(&r);
		return;
	}
	while (ends_short(&r))
		all.end--;
	if (all.end > all.first && r.flags == 0 && same(at(all.end - 1), &r))
		return;
	pass_old(r.time);
	if (all.end - all.first == all.size)
		make_room();
	*at(all.end++) = r;
}

bool
ring_end(uint64_t time)
{
	struct trace_head *h = &all.head;
	bool whole;

	if (!all.ask.on)
		return true;

	h->end = time;
	while (all.first < all.end)
		pass_first();
	kept_end(h);
	spans_write(h, all.f);
	h->size = sizeof *h;
	whole = fflush(all.f) == 0 && fseek(all.f, 0, SEEK_SET) == 0 &&
		fwrite(h, sizeof *h, 1, all.f) == 1;
	return fclose(all.f) == 0 && whole;
}
