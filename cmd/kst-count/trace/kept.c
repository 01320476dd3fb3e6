/* SPDX-License-Identifier: ISC */
#include "trace/kept.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/xalloc.h"
#include "trace/pack.h"

/*
 * Memory is taken by large pages: a fault for each small one took longer than
 * all else. Beyond so many, the oldest is forgotten.
 */
enum { LARGE = 1 << 21, CHUNKS = 128 };

struct chunk {
	struct chunk *next;
	uint64_t time; /* of its last record */
	size_t n;
	uint8_t bytes[LARGE - 24];
};

static struct {
	FILE *f;
	uint64_t last;
	struct chunk *first, *end;
	size_t chunks;
	struct record put; /* the one taken last */
	uint64_t records, bytes;
	const uint8_t *from;   /* where those not forgotten begin */
	struct record was;     /* the one forgotten last, */
	bool forgot;	       /* if one was */
	struct record *before; /* how stacks were, those that have it */
	bool *has_before;
} all;

static void
add_chunk(void)
{
	struct chunk *c = aligned_alloc(LARGE, sizeof *c);

	_Static_assert(sizeof *c == LARGE, "");
	if (c == NULL)
		c = xreallocn(NULL, 1, sizeof *c);
	else
		madvise(c, sizeof *c, MADV_HUGEPAGE);
	c->next = NULL;
	c->n = 0;
	if (all.first)
		all.end->next = c;
	else
		all.first = c;
	all.end = c;
	if (all.chunks++ == 0)
		all.from = c->bytes;
}

void
kept_open(FILE *f, uint64_t last)
{
	all.f = f;
	all.last = last;
	add_chunk();
	if (last) {
		all.before = xcalloc(TRACE_STACKS, sizeof *all.before);
		all.has_before = xcalloc(TRACE_STACKS, 1);
	}
}

/* The records of the first chunk before a time leave, as what was before. */
static void
forget(uint64_t time)
{
	const uint8_t *const end = all.first->bytes + all.first->n;
	struct record r = all.was;

	while (all.from < end) {
		const uint8_t *next = pack_get(all.from, end, &r);

		if (next == NULL || r.time >= time)
			return;
		all.was = r;
		all.forgot = true;
		all.before[r.stack] = r;
		all.before[r.stack].flags = RECORD_BEFORE;
		all.has_before[r.stack] = true;
		all.from = next;
		all.records--;
	}
}

/* Old chunks leave, and those beyond `most`. */
static void
forget_chunks(uint64_t now, size_t most)
{
	const uint64_t from = now > all.last ? now - all.last : 0;

	while (all.first != all.end &&
	       (all.chunks > most || all.first->time < from)) {
		struct chunk *const c = all.first;

		forget(UINT64_MAX);
		all.first = c->next;
		all.from = all.first->bytes;
		all.chunks--;
		free(c);
	}
}

static void
write_bytes(const uint8_t *p, size_t n)
{
	fwrite(p, 1, n, all.f);
	all.bytes += n;
}

/* The last chunk is full. */
static void
make_room(uint64_t now)
{
	if (all.last) {
		forget_chunks(now, CHUNKS - 1);
		add_chunk();
		return;
	}
	write_bytes(all.end->bytes, all.end->n);
	all.end->n = 0;
}

void
kept_put(const struct record *r)
{
	struct chunk *c = all.end;

	if (c->n > sizeof c->bytes - PACK_MOST) {
		make_room(r->time);
		c = all.end;
	}
	c->n = (size_t)(pack_put(c->bytes + c->n, r, &all.put) - c->bytes);
	c->time = r->time;
	all.put = *r;
	all.records++;
}

static int
by_time(const void *a, const void *b)
{
	const struct record *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

/* Writes one that is not as the bytes have it: `last` is then that one. */
static void
write_one(const struct record *r, struct record *last)
{
	uint8_t bytes[PACK_MOST];

	write_bytes(bytes, (size_t)(pack_put(bytes, r, last) - bytes));
	*last = *r;
}

/* How stacks were when the records begin, that which ran last. */
static void
write_before(uint64_t begin)
{
	const uint8_t *const end = all.first->bytes + all.first->n;
	struct record last = {0}, r = all.was;
	size_t n = 0;

	for (size_t i = 0; i < TRACE_STACKS; i++)
		if (all.has_before[i])
			all.before[n++] = all.before[i];
	qsort(all.before, n, sizeof *all.before, by_time);
	for (size_t i = 0; i < n; i++) {
		all.before[i].time = begin;
		write_one(&all.before[i], &last);
	}
	all.records += n;
	if (all.from == end)
		return;
	all.from = pack_get(all.from, end, &r);
	write_one(&r, &last);
}

void
kept_end(struct trace_head *h)
{
	const uint64_t from = h->end > all.last ? h->end - all.last : 0;

	if (all.last) {
		forget_chunks(h->end, CHUNKS);
		forget(from);
	}
	if (all.forgot) {
		/* of what did not fit, from where it is known */
		h->begin = from > all.was.time ? from : all.was.time;
		write_before(h->begin);
	}
	for (struct chunk *c = all.first; c; c = c->next) {
		const uint8_t *p = c == all.first ? all.from : c->bytes;

		write_bytes(p, (size_t)(c->bytes + c->n - p));
	}
	h->records = all.records;
	h->bytes = all.bytes;
}
