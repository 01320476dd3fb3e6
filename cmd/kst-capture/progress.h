/* SPDX-License-Identifier: ISC */
/* The bar on a terminal's standard error; nothing when it is not a terminal. */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool on, shown;
	uint64_t samples, duration; /* the limits, 0: none; ns */
	uint64_t last;		    /* ns since the start, of the last show */
};

void progress_init(
    struct progress *p, bool quiet, uint64_t samples, uint64_t duration);

/* Shows the state, at most ten times a second. */
void progress_show(struct progress *p, uint64_t samples, uint64_t elapsed_ns);

/* Takes the bar away. */
void progress_done(struct progress *p);

#endif
