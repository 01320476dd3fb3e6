/* SPDX-License-Identifier: ISC */
/*
 * Multikey quicksort on eight bytes at a time. Stacks of one program share
 * long beginnings, so each round first skips what the whole group shares.
 */
#include "set/textsort.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

enum { AHEAD = 12, SMALL = 12, BAD_MAX = 40 };

/* Bytes [at, at + 8) of the text in their order; zeros beyond its end. */
static uint64_t
key_at(const struct text *s, size_t at)
{
	uint64_t k = 0;

	if (s->len >= at + 8)
		memcpy(&k, s->p + at, 8);
	else if (s->len > at)
		memcpy(&k, s->p + at, s->len - at);
	return be64toh(k);
}

static int
cmp_from(const struct text *a, const struct text *b, size_t at)
{
	return bytes_cmp(a->p + at, a->len - at, b->p + at, b->len - at);
}

static void
insertion_sort(struct text *v, size_t n, size_t at)
{
	for (size_t i = 1; i < n; i++) {
		struct text x = v[i];
		size_t k = i;

		for (; k > 0 && cmp_from(&x, &v[k - 1], at) < 0; k--)
			v[k] = v[k - 1];
		v[k] = x;
	}
}

/* How many bytes from `at` on all texts share (each has at least `at`). */
static size_t
shared_from(const struct text *v, size_t n, size_t at)
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
swap_texts(struct text *a, struct text *b)
{
	struct text t = *a;

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
ended_first(struct text *v, size_t n, size_t at)
{
	size_t m = 0;

	for (size_t len = at; len < at + 8; len++)
		for (size_t i = m; i < n; i++)
			if (v[i].len == len)
				swap_texts(&v[i], &v[m++]);
	return m;
}

/* Three-way partition by key: [0, *lt) below, [*gt, n) above the pivot. */
static void
partition(struct text *v, size_t n, size_t *lt, size_t *gt)
{
	uint64_t pivot = median(v[0].key, v[n / 2].key, v[n - 1].key);
	size_t a = 0, i = 0, b = n;

	while (i < b) {
		if (v[i].key < pivot)
			swap_texts(&v[i++], &v[a++]);
		else if (v[i].key > pivot)
			swap_texts(&v[i], &v[--b]);
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
	struct text *v;
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

void
textsort(struct text *v, size_t n)
{
	sort_range((struct range){v, n, 0});
}
