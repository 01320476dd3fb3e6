/* SPDX-License-Identifier: ISC */
/*
 * Percentiles in one pass: exact for up to HIST_EXACT values; beyond, from
 * counts in 128 buckets for each power of two, so off by at most 0.4 %.
 */
#ifndef HIST_H
#define HIST_H

#include <stddef.h>
#include <stdint.h>

enum { HIST_EXACT = 1024, HIST_OCTAVES = 58 };

/* Empty when all zero. */
struct hist {
	uint64_t n, min, max;
	uint64_t *exact;		/* while n <= HIST_EXACT */
	uint64_t *octave[HIST_OCTAVES]; /* after that; NULL: no value there */
	size_t cap;
};

void hist_add(struct hist *h, uint64_t v);
void hist_done(struct hist *h);

/* The value that `percent` of all do not exceed (nearest rank); 0 if none. */
uint64_t hist_at(struct hist *h, unsigned percent);

#endif
