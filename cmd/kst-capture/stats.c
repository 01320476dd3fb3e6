/* SPDX-License-Identifier: ISC */
/* Buckets that grow with their values. */
#include "stats.h"

#include <math.h>
#include <stdio.h>

/* Small values have a bucket each, then each doubling has STATS_STEPS. */
enum { EXACT = 2 * STATS_STEPS, SKIPPED = 7 * STATS_STEPS - EXACT };
_Static_assert(EXACT == 1 << 7, "the first bucket of more than one value");

static size_t
bucket_of(uint64_t v)
{
	const size_t i =
	    v < EXACT ? v : (size_t)(log2((double)v) * STATS_STEPS) - SKIPPED;

	return i < STATS_BUCKETS ? i : STATS_BUCKETS - 1;
}

/* The middle of a bucket. */
static uint64_t
value_of(size_t i)
{
	return i < EXACT
		   ? i
		   : (uint64_t)exp2(((double)i + SKIPPED + 0.5) / STATS_STEPS);
}

void
stats_add(struct stats *s, uint64_t ns)
{
	s->bucket[bucket_of(ns)]++;
	s->n++;
	s->sum += ns;
	if (ns > s->max)
		s->max = ns;
}

uint64_t
stats_quantile(const struct stats *s, double share)
{
	uint64_t want = (uint64_t)((double)s->n * share + 0.999999), seen = 0;

	if (s->n == 0)
		return 0;
	if (want < 1)
		want = 1;
	for (size_t i = 0; i < STATS_BUCKETS; i++) {
		seen += s->bucket[i];
		if (seen >= want) {
			uint64_t v = value_of(i);

			return v < s->max ? v : s->max;
		}
	}
	return s->max;
}

const char *
stats_duration(uint64_t ns, char *text)
{
	double v = (double)ns;

	if (ns < 1000000)
		snprintf(text, 24, "%.0f us", v / 1e3);
	else if (ns < 1000000000)
		snprintf(text, 24, "%.3g ms", v / 1e6);
	else
		snprintf(text, 24, "%.3g s", v / 1e9);
	return text;
}
