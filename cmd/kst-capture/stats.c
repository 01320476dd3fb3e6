/* SPDX-License-Identifier: ISC */
/* Buckets that grow with their values. */
#include "stats.h"

#include <stdio.h>

/* Values below STATS_STEPS have a bucket each, then each doubling has 64. */
static size_t
bucket_of(uint64_t v)
{
	unsigned exp;
	size_t i;

	if (v < STATS_STEPS)
		return (size_t)v;
	exp = 63 - (unsigned)__builtin_clzll(v);
	i = (size_t)(exp - 5) * STATS_STEPS +
	    (size_t)(v >> (exp - 6)) % STATS_STEPS;
	return i < STATS_BUCKETS ? i : STATS_BUCKETS - 1;
}

/* The middle of a bucket. */
static uint64_t
value_of(size_t i)
{
	size_t shift;

	if (i < 2 * STATS_STEPS)
		return i;
	shift = i / STATS_STEPS - 1;
	return ((uint64_t)(STATS_STEPS + i % STATS_STEPS) << shift) +
	       ((uint64_t)1 << (shift - 1));
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
