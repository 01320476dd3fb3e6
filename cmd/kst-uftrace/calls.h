/* SPDX-License-Identifier: ISC */
/* The functions that a track is in, by address. */
#ifndef CALLS_H
#define CALLS_H

#include <stddef.h>
#include <stdint.h>

/* Open calls, the innermost last. */
struct calls {
	uint64_t *addr;
	size_t n, cap;
	uint64_t more; /* deeper ones */
};

void calls_push(struct calls *c, uint64_t addr);

/* The ends of the calls within may be lost. */
void calls_pop(struct calls *c, uint64_t addr);

#endif
