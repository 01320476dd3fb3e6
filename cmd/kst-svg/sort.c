/* SPDX-License-Identifier: ISC */
/*
 * Multikey quicksort on eight bytes at a time. Stacks of one program share
 * long beginnings, so each round first skips what the whole group shares.
 */
#include "sort.h"

#include <stdint.h>
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"

struct item {
	const char *p;
	uint32_t len, weight; /* len: a line's at most; weight: index */
	uint64_t key;	      /* eight bytes of the text, big endian */
};

struct pair {
	weight w[2];
	uint64_t first;
};

struct block {
	struct block *next;
	size_t len, cap;
	char bytes[];
};

struct sort {
	struct item *items;
	struct pair *weights;
	size_t n, cap, merge_at, next;
	uint64_t added;
	struct sorted out;
	struct block *blocks;
};

/*
 * Blocks are large and aligned so that the kernel can back them with huge
 * pages: faults of small pages would take as long as the sorting.
 */
enum {
	BLOCK = 8 << 20,
	BLOCK_ALIGN = 2 << 20,
	AHEAD = 12,
	MERGE_FIRST = 1 << 20,
	SMALL = 12,
	BAD_MAX = 40
};

struct sort *
sort_new(void)
{
	struct sort *s = xcalloc(1, sizeof *s);

	s->merge_at = MERGE_FIRST;
	return s;
}

static void
free_blocks(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		free(b);
		b = next;
	}
}

void
sort_free(struct sort *s)
{
	if (s == NULL)
		return;
	free_blocks(s->blocks);
	free(s->items);
	free(s->weights);
	free(s);
}

/* Room for a text of that length. */
static char *
text_room(struct sort *s, size_t len)
{
	struct block *b = s->blocks;

	if (b == NULL || b->cap - b->len < len) {
		size_t cap = BLOCK - sizeof *b;

		if (len > cap)
			cap = (len / BLOCK_ALIGN + 2) * BLOCK_ALIGN - sizeof *b;
		b = aligned_alloc(BLOCK_ALIGN, sizeof *b + cap);
		if (b == NULL)
			msg_die(EXIT_SYSTEM, "out of memory");
		madvise(b, sizeof *b + cap, MADV_HUGEPAGE);
		b->next = s->blocks;
		b->len = 0;
		b->cap = cap;
		s->blocks = b;
	}
	b->len += len;
	return b->bytes + b->len - len;
}

static void
copy_reversed(char *to, const char *stack, size_t len)
{
	while (len > 0) {
		const char *semi = memrchr(stack, ';', len);
		size_t at = semi ? (size_t)(semi - stack) + 1 : 0;

		memcpy(to, stack + at, len - at);
		to += len - at;
		if (semi == NULL)
			break;
		*to++ = ';';
		len = at - 1;
	}
}

/* Bytes [at, at + 8) of the text in their order; zeros beyond its end. */
static uint64_t
key_at(const struct item *s, size_t at)
{
	uint64_t k = 0;

	if (s->len >= at + 8)
		memcpy(&k, s->p + at, 8);
	else if (s->len > at)
		memcpy(&k, s->p + at, s->len - at);
	return be64toh(k);
}

static int
cmp_from(const struct item *a, const struct item *b, size_t at)
{
	return bytes_cmp(a->p + at, a->len - at, b->p + at, b->len - at);
}

static void
insertion_sort(struct item *v, size_t n, size_t at)
{
	for (size_t i = 1; i < n; i++) {
		struct item x = v[i];
		size_t k = i;

		for (; k > 0 && cmp_from(&x, &v[k - 1], at) < 0; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

/* How many bytes from `at` on all texts share (each has at least `at`). */
static size_t
shared_from(const struct item *v, size_t n, size_t at)
{
	const char *p = v[0].p;
	size_t shared = v[0].len;

	for (size_t i = 1; i < n; i++) {
		const char *q = v[i].p;
		size_t k = at;

		if (i + AHEAD < n)
			__builtin_prefetch(v[i + AHEAD].p + at);
		if (v[i].len < shared)
			shared = v[i].len;
		while (k + 8 <= shared) {
			uint64_t x, y;

			memcpy(&x, p + k, 8);
			memcpy(&y, q + k, 8);
			if (x != y)
				break;
			k += 8;
		}
		while (k < shared && p[k] == q[k])
			k++;
		shared = k;
		if (shared == at)
			break;
	}
	return shared;
}

static void
swap_items(struct item *a, struct item *b)
{
	struct item t = *a;

	*a = *b;
	*b = t;
}

static uint64_t
median(uint64_t a, uint64_t b, uint64_t c)
{
	return a < b ? (b < c	   ? b
			   : a < c ? c
				   : a)
		     : (a < c	   ? a
			   : b < c ? c
				   : b);
}

/*
 * Of texts whose keys at `at` are equal, those that end within the key come
 * first, the shortest before the longer. Returns how many there are.
 */
static size_t
ended_first(struct item *v, size_t n, size_t at)
{
	size_t m = 0;

	for (size_t len = at; len < at + 8; len++)
		for (size_t i = m; i < n; i++)
			if (v[i].len == len)
				swap_items(&v[i], &v[m++]);
	return m;
}

/* Three-way partition by key: [0, *lt) below, [*gt, n) above the pivot. */
static void
partition(struct item *v, size_t n, size_t *lt, size_t *gt)
{
	uint64_t pivot = median(v[0].key, v[n / 2].key, v[n - 1].key);
	size_t a = 0, i = 0, b = n;

	while (i < b) {
		if (v[i].key < pivot)
			swap_items(&v[i++], &v[a++]);
		else if (v[i].key > pivot)
			swap_items(&v[i], &v[--b]);
		else
			i++;
	}
	*lt = a;
	*gt = b;
}

static int
whole_cmp(const void *a, const void *b)
{
	return cmp_from(a, b, 0);
}

struct range {
	struct item *v;
	size_t n, at;
};

/*
 * Sorts texts that are equal up to `at`. Calls itself for the two smaller
 * parts, so that the depth is at most the logarithm of n.
 */
static void
sort_range(struct range r)
{
	int bad = 0; /* rounds that split off next to nothing */

	while (r.n > SMALL) {
		struct range part[3];
		size_t lt, gt, m, big = 0;

		r.at = shared_from(r.v, r.n, r.at);
		for (size_t i = 0; i < r.n; i++)
			r.v[i].key = key_at(&r.v[i], r.at);
		partition(r.v, r.n, &lt, &gt);
		m = lt + ended_first(r.v + lt, gt - lt, r.at);
		part[0] = (struct range){r.v, lt, r.at};
		part[1] = (struct range){r.v + m, gt - m, r.at + 8};
		part[2] = (struct range){r.v + gt, r.n - gt, r.at};
		for (size_t i = 1; i < 3; i++)
			if (part[i].n > part[big].n)
				big = i;
		for (size_t i = 0; i < 3; i++)
			if (i != big)
				sort_range(part[i]);
		if (big != 1 && part[big].n > r.n / 8 * 7 && ++bad > BAD_MAX) {
			qsort(part[big].v, part[big].n, sizeof *r.v, whole_cmp);
			return;
		}
		r = part[big];
	}
	insertion_sort(r.v, r.n, r.at);
}

static int
same_text(const struct item *a, const struct item *b)
{
	return bytes_same(a->p, a->len, b->p, b->len);
}

/* Sorts, merges what is equal, and copies the texts that are left. */
static void
merge(struct sort *s)
{
	struct pair *weights = xreallocn(NULL, s->cap, sizeof *weights);
	struct block *old = s->blocks;
	size_t n = 0;

	sort_range((struct range){s->items, s->n, 0});
	s->blocks = NULL;
	for (size_t i = 0; i < s->n; i++) {
		struct item *x = &s->items[i];
		const struct pair *w = &s->weights[x->weight];

		if (n && same_text(x, &s->items[n - 1])) {
			weights[n - 1].w[0] += w->w[0];
			weights[n - 1].w[1] += w->w[1];
			if (w->first < weights[n - 1].first)
				weights[n - 1].first = w->first;
			continue;
		}
		weights[n] = *w;
		s->items[n] = *x;
		s->items[n].weight = (uint32_t)n;
		n++;
	}
	for (size_t i = 0; i < n; i++) {
		struct item *x = &s->items[i];

		x->p = memcpy(text_room(s, x->len), x->p, x->len);
	}
	free_blocks(old);
	free(s->weights);
	s->weights = weights;
	s->n = n;
	s->merge_at = n * 2 > MERGE_FIRST ? n * 2 : MERGE_FIRST;
}

void
sort_add(struct sort *s, const char *stack, size_t len, const weight w[2],
    bool reverse)
{
	struct item *x;
	char *p;

	if (s->n == s->merge_at)
		merge(s);
	if (s->n == s->cap) {
		if (s->n >= UINT32_MAX / 2)
			msg_die(EXIT_FAILED, "too many different stacks");
		s->cap = s->cap ? s->cap * 2 : 1024;
		s->items = xreallocn(s->items, s->cap, sizeof *s->items);
		s->weights = xreallocn(s->weights, s->cap, sizeof *s->weights);
	}
	p = text_room(s, len);
	if (reverse)
		copy_reversed(p, stack, len);
	else if (len)
		memcpy(p, stack, len);
	x = &s->items[s->n];
	x->p = p;
	x->len = (uint32_t)len;
	x->weight = (uint32_t)s->n;
	s->weights[s->n].w[0] = w[0];
	s->weights[s->n].w[1] = w[1];
	s->weights[s->n].first = s->added++;
	s->n++;
}

void
sort_done(struct sort *s)
{
	sort_range((struct range){s->items, s->n, 0});
}

const struct sorted *
sort_next(struct sort *s)
{
	const struct item *x;

	if (s->next == s->n)
		return NULL;
	if (s->next + 2 < s->n)
		__builtin_prefetch(s->items[s->next + 2].p);
	x = &s->items[s->next++];
	s->out.p = x->p;
	s->out.len = x->len;
	memcpy(s->out.w, s->weights[x->weight].w, sizeof s->out.w);
	s->out.first = s->weights[x->weight].first;
	return &s->out;
}
