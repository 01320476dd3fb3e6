/* SPDX-License-Identifier: ISC */
/*
 * What slow calls do that typical ones do not: means by stack, the stacks that
 * explain the difference, and whether chance explains it, too.
 */
#ifndef JUDGE_H
#define JUDGE_H

#include <stddef.h>
#include <stdint.h>

#include "calls.h"

/* A stack below which slow calls are longer, by means in ns for each call. */
struct cause {
	uint32_t node;
	double typical, slow; /* of the stack and what it calls */
	double more;	      /* without causes that come before it */
	size_t calls;	      /* slow ones in which it takes longer than in all
				 typical ones */
	/*
	 * If calls differed in nothing except their length: the probability
	 * that some stack's share of them differs as much, from random halves.
	 */
	double chance;
};

enum { CAUSES_MAX = 20 };

struct judged {
	double *self[2]; /* by node: mean ns of typical and of slow calls */
	double typical, slow; /* mean ns of a call */
	struct cause causes[CAUSES_MAX];
	size_t n_causes;
};

/* After calls_end(); both kinds of calls must be there. */
void judge(struct judged *j, const struct calls *c);
void judged_free(struct judged *j);

#endif
