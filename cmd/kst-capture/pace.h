/* SPDX-License-Identifier: ISC */
/*
 * When samples are due. The first one is at once; sample k after it falls at a
 * random place within an interval around start + k * step, so that the mean
 * rate is kept, what a sample costs does not stretch the period, and a guest
 * whose work repeats is not met in the same phase each time.
 */
#ifndef PACE_H
#define PACE_H

#include <stdbool.h>
#include <stdint.h>

struct pace {
	uint64_t start, step; /* ns of clock_now(); step 0: at once */
	uint64_t k;	      /* the number of the last sample given out */
	uint64_t missed;      /* samples left out: their time had passed */
	uint64_t seed;	      /* of this sequence of places */
	bool jitter;	      /* else all are at start + k * step */
};

/*
 * The time of the sample after the last one, whose time may have passed: then
 * it is due now. Those whose interval has passed as a whole are left out.
 */
uint64_t pace_next(struct pace *p, uint64_t now);

#endif
