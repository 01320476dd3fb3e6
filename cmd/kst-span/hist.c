/* SPDX-License-Identifier: ISC */
/*
 * Octave 0 counts the values 0 to 127 themselves, octave k those whose highest
 * bit is 2^(k+6), by the 7 bits below it.
 */
#include "hist.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { SUB_BITS = 7, SUBS = 1 << SUB_BITS };

static unsigned
octave_of(uint64_t v)
{
	return v < SUBS ? 0 : 64 - (unsigned)__builtin_clzll(v) - SUB_BITS;
}

static void
count(struct hist *h, uint64_t v)
{
	unsigned k = octave_of(v);
	uint64_t sub = k ? (v >> (k - 1)) & (SUBS - 1) : v;

	if (h->octave[k] == NULL)
		h->octave[k] = xcalloc(SUBS, sizeof **h->octave);
	h->octave[k][sub]++;
}

void
hist_add(struct hist *h, uint64_t v)
{
	if (h->n == 0 || v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	if (h->n++ >= HIST_EXACT) {
		if (h->exact) {
			for (uint32_t i = 0; i < HIST_EXACT; i++)
				count(h, h->exact[i]);
			free(h->exact);
			h->exact = NULL;
		}
		count(h, v);
		return;
	}
	h->exact = xgrow(h->exact, h->n, &h->cap, sizeof *h->exact);
	h->exact[h->n - 1] = v;
}

void
hist_done(struct hist *h)
{
	free(h->exact);
	for (unsigned k = 0; k < HIST_OCTAVES; k++)
		free(h->octave[k]);
	memset(h, 0, sizeof *h);
}

static int
compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The middle of a bucket, within the least and the greatest value. */
static uint64_t
bucket_value(const struct hist *h, unsigned k, uint64_t sub)
{
	uint64_t v = sub;

	if (k) {
		v = (SUBS + sub) << (k - 1);
		v += ((uint64_t)1 << (k - 1)) / 2;
	}
	return v < h->min ? h->min : v > h->max ? h->max : v;
}

uint64_t
hist_at(struct hist *h, unsigned percent)
{
	uint64_t rank, sum = 0;

	if (h->n == 0)
		return 0;
	rank = h->n / 100 * percent + (h->n % 100 * percent + 99) / 100;
	if (rank == 0)
		rank = 1;
	if (h->exact) {
		qsort(h->exact, h->n, sizeof *h->exact, compare);
		return h->exact[rank - 1];
	}
	for (unsigned k = 0; k < HIST_OCTAVES; k++) {
		for (uint64_t i = 0; h->octave[k] && i < SUBS; i++) {
			sum += h->octave[k][i];
			if (sum >= rank)
				return bucket_value(h, k, i);
		}
	}
	return h->max;
}
