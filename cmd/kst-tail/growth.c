/* SPDX-License-Identifier: ISC */
/*
 * The test is that of Mann and Kendall: of all pairs of calls, in how many the
 * later one takes longer. It asks for order alone, so single slow calls do not
 * matter.
 */
#include "growth.h"

#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "calls.h"
#include "set/bound.h"

/* A chance of 0.001, both sides of the normal distribution. */
#define LEAST_Z 3.2905
#define LEAST_FACTOR 1.5

enum { LEAST_CALLS = 20 };

/* Pairs that rise, less those that fall. */
static double
rises(const struct call *v, size_t n)
{
	double s = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t of = 0;

		for (size_t k = 0; k < i; k++)
			of += (v[k].ns < v[i].ns) - (v[k].ns > v[i].ns);
		s += (double)of;
	}
	return s;
}

/* 18 times the variance of n values, or what n equal ones take from it. */
static double
spread(size_t n)
{
	double x = (double)n;

	return x * (x - 1) * (2 * x + 5);
}

/* The lengths of calls, sorted; free() them. */
static uint64_t *
sorted(const struct call *v, size_t n)
{
	uint64_t *ns = xreallocn(NULL, n + 1, sizeof *ns);

	for (size_t i = 0; i < n; i++)
		ns[i] = v[i].ns;
	qsort(ns, n, sizeof *ns, bound_compare);
	return ns;
}

static double
variance(const struct call *v, size_t n)
{
	uint64_t *ns = sorted(v, n);
	double all = spread(n);

	for (size_t i = 0, from = 0; i < n; i++)
		if (i + 1 == n || ns[i + 1] != ns[from]) {
			all -= spread(i + 1 - from);
			from = i + 1;
		}
	free(ns);
	return all / 18;
}

static double
median(const struct call *v, size_t n)
{
	uint64_t *ns = sorted(v, n);
	double m = n ? (double)ns[(n - 1) / 2] / 2 + (double)ns[n / 2] / 2 : 0;

	free(ns);
	return m;
}

struct growth
growth_judge(const struct call *v, size_t n, uint64_t n_all)
{
	struct growth g = {0};
	uint64_t tenth = n_all / 10;
	size_t first = 0, last = n;
	double s, var;

	if (n < LEAST_CALLS)
		return g;
	while (first < n && v[first].order < tenth)
		first++;
	while (last > 0 && v[last - 1].order >= n_all - tenth)
		last--;
	g.first = median(v, first);
	g.last = median(v + last, n - last);
	if (first == 0 || last == n ||
	    (g.last < LEAST_FACTOR * g.first &&
		g.first < LEAST_FACTOR * g.last))
		return g;
	s = rises(v, n);
	var = variance(v, n);
	/* the middle of the calls goes the same way */
	g.is =
	    (s > 0) == (g.last > g.first) && fabs(s) - 1 > LEAST_Z * sqrt(var);
	return g;
}
