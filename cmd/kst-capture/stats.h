/* SPDX-License-Identifier: ISC */
/* How long the guest stood still: counted in bounded memory. */
#ifndef STATS_H
#define STATS_H

#include <stdint.h>

/* 64 steps for each doubling: a value is known to 1.6 %. */
enum { STATS_STEPS = 64, STATS_BUCKETS = STATS_STEPS * 60 };

struct stats {
	uint64_t bucket[STATS_BUCKETS];
	uint64_t n, sum, max; /* ns */
};

void stats_add(struct stats *s, uint64_t ns);

/* The value that `share` of all, more than 0, are not above; 0 of none. */
uint64_t stats_quantile(const struct stats *s, double share);

/* `412 us`, `3.1 ms`, `1.25 s` in text, which has room for 24 bytes. */
const char *stats_duration(uint64_t ns, char *text);

#endif
