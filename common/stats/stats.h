/* SPDX-License-Identifier: ISC */
/*
 * Statistics of samples: intervals, tests, and random numbers that a seed
 * repeats. Formulas name their sources.
 */
#ifndef KST_STATS_H
#define KST_STATS_H

#include <stddef.h>

/*
 * The probability that Student's t with df degrees of freedom (> 0; INFINITY:
 * the normal distribution) is farther from 0 than t.
 */
double stats_t_tails(double t, double df);

/* The t that is exceeded on both sides with that probability in sum. */
double stats_t_quantile(double tails, double df);

/*
 * The ± at 95 % of a share of x in n > 0: the larger distance to an end of its
 * interval. A stop counts once, because the CPUs of one stop may wait for the
 * same thing: if there are fewer stops (> 0) than n, stops replace n.
 */
double stats_margin(double x, double n, double stops);

/* A mean and the square of its standard error. */
struct stats_mean {
	double mean, var, n;
};
struct stats_mean stats_mean(const double *v, size_t n); /* n = 1: no var */

/* Welch's degrees of freedom of the difference of two means. */
double stats_welch_df(const struct stats_mean *a, const struct stats_mean *b);

/*
 * Exact tests: whether two shares x1 / n1 and x2 / n2 are equal (Fisher's), and
 * whether x1 of x1 + x2 has the probability p. The result is twice the smaller
 * tail. stats_fisher() rounds to whole numbers and is 0 for n1 + n2 beyond
 * 10^12.
 */
double stats_fisher(double x1, double n1, double x2, double n2);
double stats_binomial(double x1, double x2, double p);

/*
 * Benjamini and Hochberg: sorts n probabilities, and returns the greatest one
 * that is significant if at most the share q of the significant ones may be
 * false; -1 if none is.
 */
double stats_significant(double *p, size_t n, double q);

#endif
