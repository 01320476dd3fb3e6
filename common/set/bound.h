/* SPDX-License-Identifier: ISC */
/* Numbers in order: comparison for qsort(), and binary search. */
#ifndef KST_BOUND_H
#define KST_BOUND_H

#include <stddef.h>
#include <stdint.h>

/* Which of two uint64_t is greater, for qsort(). */
static inline int
bound_compare(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/*
 * The index of the first of n items whose number is greater than x; n if there
 * is none. An item has `size` bytes, and its number, a uint64_t, is at offset
 * `at`. v may be NULL when n is 0.
 */
static inline size_t
bound_above(const void *v, size_t n, size_t size, size_t at, uint64_t x)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		const char *item = (const char *)v + mid * size;

		if (*(const uint64_t *)(const void *)(item + at) <= x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

#endif
