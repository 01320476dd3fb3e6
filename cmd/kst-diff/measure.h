/* SPDX-License-Identifier: ISC */
/* How much each row of a profile has changed, and how sure that is. */
#ifndef MEASURE_H
#define MEASURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sides/profile.h"

/* Where the interval comes from; kst-diff(1) says when which is taken. */
enum method {
	METHOD_FILES,
	METHOD_CAPTURES,
	METHOD_SAMPLES,
	METHOD_EXACT, /* counts have no error */
	METHOD_NONE
};

/* A share of the side's total, or weight for a unit of work. */
enum kind { KIND_SHARE, KIND_COST };

struct change {
	double before, after;
	double change; /* after - before of shares, after / before of costs */
	double low, high; /* its interval */
	/* Of exact counts, the difference; shares are of the total before. */
	double more; /* of calls: what those after cost more */
	double p;    /* that so much comes by chance */
	double se;   /* of the change; 0: not known */
	bool tested, significant;
};

/*
 * A key of the profile on both sides; two keys if the function may have been
 * renamed.
 */
struct row {
	uint32_t key[2];
	const struct count *weight[2];
	struct change change;
	const char *code;  /* how its own code differs; NULL: it does not */
	const char *place; /* and where, as in code.h */
	double size;	   /* rows are sorted by it */
};

struct measure {
	const struct profile *p;
	enum method method;
	bool samples; /* the unit is samples, which come one by one */
	bool self;
	bool per_call; /* KIND_COST of a row is that of its own calls */
	enum kind kind;
	double work[2]; /* of KIND_COST */
	double level;	/* what chance may do: 0.05 for intervals of 95 % */
	double least;  /* rows of smaller shares on both sides are not tested */
	char why[160]; /* there is no verdict */
	/* of usual_take(), which comes first */
	struct usual {
		double level[2], power; /* of variances, over the share */
		double df;		/* that they are worth */
		double drift; /* of one trace a side: variances grow by it */
	} usual;
};

/* By how much of itself a row has grown: 0.1 is 10 %; a new one, INFINITY. */
double measure_growth(const struct measure *m, const struct change *c);

/* One row; `significant` is not set. */
struct change measure_row(const struct measure *m, const uint32_t key[2]);

/* The rows with weight, in the profile's order; free() them. */
struct row *measure_rows(const struct measure *m, size_t *n);

struct buf;
struct code;

/* With per_call: whether the row's function has calls, on any side. */
bool measure_is_called(const struct measure *m, const struct row *r);

/* Sets `code` and `place` of the rows of functions whose own code differs. */
void measure_mark(
    const struct measure *m, struct code *c, struct row *rows, size_t n);

/*
 * Counts the functions that ran on one side only. False: these are more than a
 * tenth of the rows' functions. Functions that only one kernel has, and names
 * that are addresses, are left out.
 */
bool measure_same_work(
    const struct measure *m, const struct row *rows, size_t n, size_t only[2]);

/* Sets `significant` of all rows. */
void measure_test(const struct measure *m, struct row *rows, size_t n);

/*
 * How many times as much data would tell a change from a limit in 99 of 100
 * cases. The change is taken to be as large as it seems, but at least half the
 * limit away from it.
 */
double measure_needed(
    const struct measure *m, const struct change *c, double limit);

#endif
