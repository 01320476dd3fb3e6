/* SPDX-License-Identifier: ISC */
/* Buckets that grow with their values. */
#include "capture.h"

#include <math.h>
#include <stdio.h>

/* Small values have a bucket each, then each doubling has STATS_STEPS. */
enum { EXACT = 2 * STATS_STEPS, SKIPPED = 7 * STATS_STEPS - EXACT };
_Static_assert(EXACT == 1 << 7, "the first bucket of more than one value");
_Static_assert(STATS_BUCKETS > 64 * STATS_STEPS - SKIPPED, "one for 2^64 - 1");

static size_t
bucket_of(uint64_t v)
{
	return v < EXACT ? v
			 : (size_t)(log2((double)v) * STATS_STEPS) - SKIPPED;
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
	const uint64_t want = (uint64_t)((double)s->n * share + 0.999999);
	uint64_t seen = s->bucket[0], v;
	size_t i = 0;

	while (seen < want && i + 1 < STATS_BUCKETS)
		seen += s->bucket[++i];
	v = value_of(i);
	return v < s->max ? v : s->max;
}

const char *
stats_duration(uint64_t ns, char *text)
{
	double v = (double)ns;

	if (ns < 1000000)
		snprintf(text, 24, "%.0f us", v / 1e3);
	else if (ns < 999500000) /* not 1e+03 */
		snprintf(text, 24, "%.3g ms", v / 1e6);
	else
		snprintf(text, 24, "%.3g s", v / 1e9);
	return text;
}
