/* SPDX-License-Identifier: ISC */
#include "span/hist.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "set/bound.h"

void
hist_done(struct hist *h)
{
	free(h->exact);
	for (size_t k = 0; k < HIST_OCTAVES; k++)
		free(h->octave[k]);
}

static void
count(struct hist *h, uint64_t v)
{
	unsigned k =
	    v < HIST_SUBS ? 0 : 64 - (unsigned)__builtin_clzll(v) - HIST_BITS;

	if (h->octave[k] == NULL)
		h->octave[k] = xcalloc(HIST_SUBS, sizeof **h->octave);
	h->octave[k][k ? (v >> (k - 1)) & (HIST_SUBS - 1) : v]++;
}

void
hist_add(struct hist *h, uint64_t v)
{
	if (h->n == 0 || v < h->min)
		h->min = v;
	if (v > h->max)
		h->max = v;
	if (h->n < HIST_EXACT)
		*xitem(h->exact, h->n, h->cap) = v;
	else
		count(h, v);
	if (++h->n == HIST_EXACT)
		for (size_t i = 0; i < HIST_EXACT; i++)
			count(h, h->exact[i]);
}

/* The middle of a bucket, within the least and the greatest value. */
static uint64_t
bucket_value(const struct hist *h, size_t i)
{
	unsigned k = (unsigned)(i / HIST_SUBS);
	uint64_t v = i;

	if (k) {
		v = (HIST_SUBS + i % HIST_SUBS) << (k - 1);
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
	if (h->n <= HIST_EXACT) {
		qsort(h->exact, h->n, sizeof *h->exact, bound_compare);
		return h->exact[rank - 1];
	}
	for (size_t i = 0;; i++) {
		const uint64_t *octave = h->octave[i / HIST_SUBS];

		sum += octave ? octave[i % HIST_SUBS] : 0;
		if (sum >= rank)
			return bucket_value(h, i);
	}
}
