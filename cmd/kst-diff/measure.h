/* SPDX-License-Identifier: ISC */
/* How much each row of a profile has changed, and how sure that is. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile/profile.h"

/* What the interval is made of; kst-diff(1) says when which is taken. */
enum method { METHOD_FILES, METHOD_CAPTURES, METHOD_SAMPLES, METHOD_NONE };

/* A share of the side's total, or weight for a unit of work. */
enum kind { KIND_SHARE, KIND_COST };

/* Rows of fewer samples on both sides together are not tested. */
enum { TEST_MIN = 5 };

struct change {
	double before, after;
	double change; /* after - before of shares, after / before of costs */
	double low, high; /* its 95 % interval */
	double p;	  /* that so much comes by chance */
	double se; /* of the change, of its logarithm for costs; 0: not known */
	bool tested, significant;
};

struct row {
	uint32_t key;
	const struct count *weight[2];
	struct change change;
};

struct boot;

struct measure {
	const struct profile *p;
	enum method method;
	bool samples; /* the unit is samples, which come one by one */
	bool self;
	enum kind kind;
	double work[2]; /* of KIND_COST */
	size_t files[2];
	struct boot *boot; /* of METHOD_CAPTURES, for both sides */
};

/*
 * Prepares METHOD_CAPTURES: makes blocks of the parts, draws the samples of the
 * bootstrap. Returns false if there are too few blocks.
 */
bool measure_blocks(struct measure *m, struct profile *p);
void measure_done(struct measure *m);

/* One key; `significant` is not set. */
struct change measure_key(const struct measure *m, uint32_t key);

/* All keys but marks that have weight, in the profile's order; free() them. */
struct row *measure_rows(const struct measure *m, size_t *n);

/*
 * How many times the data would find a change of twice the limit in 99 of 100
 * cases; the limit as in struct change's se.
 */
double measure_needed(const struct change *c, double limit);

#endif
