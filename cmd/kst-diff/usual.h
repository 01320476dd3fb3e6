/* SPDX-License-Identifier: ISC */
/* The parts of a row, and how much rows of its share usually vary. */
#ifndef USUAL_H
#define USUAL_H

#include "measure.h"
#include "stats/stats.h"

/* A row on both sides. */
struct pair {
	double x[2], n[2]; /* its weight, and the side's total */
	struct stats_mean v[2];
	double halves[2], quarters[2]; /* other estimates of v[].var */
};

struct pair pair_of(const struct measure *m, const uint32_t key[2]);

/* Whether there are runs or batches, which show how much they vary. */
bool pair_has_parts(const struct measure *m);

/* Whether the key has that share of all weight on either side. */
bool pair_is_large(
    const struct measure *m, const uint32_t key[2], double share);

/* The variance of independent samples, except for a factor. */
double pair_plain(const struct measure *m, const struct pair *r);

/* The share that usual.power is of: small rows have that of a larger one. */
double pair_share(const struct pair *r);

/*
 * Sets m->usual by all rows; before any row is measured, and again when `kind`
 * or `self` changes.
 */
void usual_take(struct measure *m);

#endif
