/* SPDX-License-Identifier: ISC */
/*
 * Percentiles of durations in one pass. They are exact for up to HIST_EXACT
 * values; beyond, they come from counts and are off by at most 0.4 %.
 */
#ifndef KST_HIST_H
#define KST_HIST_H

#include <stddef.h>
#include <stdint.h>

/*
 * The counts are in 128 buckets for each power of two. Octave 0 counts the
 * values 0 to 127 themselves, octave k those whose highest bit is 2^(k+6), by
 * the 7 bits below it.
 */
enum {
	HIST_EXACT = 1024,
	HIST_OCTAVES = 58,
	HIST_BITS = 7,
	HIST_SUBS = 1 << HIST_BITS
};

/* Empty when all zero. */
struct hist {
	uint64_t n, min, max;
	uint64_t *exact; /* the values, if no more than HIST_EXACT */
	size_t cap;
	uint64_t *octave[HIST_OCTAVES]; /* of all values, if more; or NULL */
};

void hist_done(struct hist *h);

void hist_add(struct hist *h, uint64_t v);

/*
 * The value that `percent` of all values do not exceed (nearest rank); 0 if
 * there are no values.
 */
uint64_t hist_at(struct hist *h, unsigned percent);

#endif
