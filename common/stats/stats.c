/* SPDX-License-Identifier: ISC */
#include "stats/stats.h"

#include <math.h>
#include <stdlib.h>

/*
 * The continued fraction of the incomplete beta function, DLMF 8.17.22,
 * evaluated from the front by Lentz's method (DLMF 3.10(iii)). It converges
 * fast for x < (a + 1) / (a + b + 2).
 */
static double
beta_fraction(double a, double b, double x)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), f;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	f = d;
	for (int i = 1; i < 10000; i++) {
		double m = i, step;

		for (int odd = 0; odd < 2; odd++) {
			double k = odd ? -(a + m) * (a + b + m) * x /
					     ((a + 2 * m) * (a + 2 * m + 1))
				       : m * (b - m) * x /
					     ((a + 2 * m - 1) * (a + 2 * m));

			d = 1 + k * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + k / c;
			c = fabs(c) < tiny ? tiny : c;
			step = c * d;
			f *= step;
		}
		if (fabs(step - 1) < 1e-14)
			break;
	}
	return f;
}

/* The regularized incomplete beta function I_x(a, b), DLMF 8.17. */
static double
beta(double a, double b, double x)
{
	double front;

	if (x <= 0 || x >= 1)
		return x >= 1;
	front = exp(
	    lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Abramowitz and Stegun 26.7.1 and 26.5.27. */
double
stats_t_tails(double t, double df)
{
	/*
	 * beyond this lgamma()'s error is larger than the distance to the limit
	 */
	if (df > 1e6)
		return erfc(fabs(t) / sqrt(2));
	return beta(df / 2, 0.5, df / (df + t * t));
}

/* By bisection: tails fall as t grows. */
double
stats_t_quantile(double tails, double df)
{
	double low = 0, high = 1;

	while (stats_t_tails(high, df) > tails && high < 1e12)
		high *= 2;
	for (int i = 0; i < 100 && high - low > 1e-12 * high; i++) {
		double mid = (low + high) / 2;

		if (stats_t_tails(mid, df) > tails)
			low = mid;
		else
			high = mid;
	}
	return high;
}

/* Wilson, J. Am. Stat. Assoc. 22 (1927), 209. */
double
stats_margin(double x, double n, double stops)
{
	double m = stops > 0 ? fmin(stops, n) : n, p = x / n;
	double s = 1.96 * 1.96 / m, mid = (p + s / 2) / (1 + s);

	return fabs(mid - p) + sqrt(p * (1 - p) * s + s * s / 4) / (1 + s);
}

struct stats_mean
stats_mean(const double *v, size_t n)
{
	struct stats_mean m = {.n = (double)n};

	for (size_t i = 0; i < n; i++)
		m.mean += v[i] / m.n;
	for (size_t i = 0; i < n; i++)
		m.var += (v[i] - m.mean) * (v[i] - m.mean);
	m.var /= (m.n - 1) * m.n;
	return m;
}

/* Welch, Biometrika 34 (1947), 28; Satterthwaite's formula. */
double
stats_welch_df(const struct stats_mean *a, const struct stats_mean *b)
{
	double sum = a->var + b->var;

	if (sum <= 0)
		return a->n + b->n - 2;
	return sum * sum /
	       (a->var * a->var / (a->n - 1) + b->var * b->var / (b->n - 1));
}

/* The upper tail of the binomial distribution, DLMF 8.17.24. */
static double
binomial_tail(double k, double n, double p)
{
	return k <= 0 ? 1 : beta(k, n - k + 1, p);
}

double
stats_binomial(double x1, double x2, double p)
{
	double n = x1 + x2;

	return fmin(
	    1, 2 * fmin(binomial_tail(x1, n, p), binomial_tail(x2, n, 1 - p)));
}

/* The logarithm of n over k. */
static double
choose(double n, double k)
{
	return lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);
}

double
stats_fisher(double x1, double n1, double x2, double n2)
{
	double k, rest, sum, term = 1, tail = 0;

	if (n1 + n2 > 1e12) /* where lgamma() is not exact enough */
		return 0;
	x1 = round(x1);
	x2 = round(x2);
	n1 = fmax(round(n1), x1);
	n2 = fmax(round(n2), x2);
	sum = x1 + x2;
	if (x1 * n2 < x2 * n1) /* the smaller tail is that of x2 */
		return stats_fisher(x2, n2, x1, n1);
	for (k = x1; k <= sum && term > 1e-17 * tail; k++) {
		rest = sum - k;
		tail += term;
		term *= (n1 - k) * rest / ((k + 1) * (n2 - rest + 1));
	}
	return fmin(
	    1, 2 * tail *
		   exp(choose(n1, x1) + choose(n2, x2) - choose(n1 + n2, sum)));
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Benjamini and Hochberg, J. R. Stat. Soc. B 57 (1995), 289. */
double
stats_significant(double *p, size_t n, double q)
{
	if (n)
		qsort(p, n, sizeof *p, compare);
	for (size_t i = n; i > 0; i--)
		if (p[i - 1] <= q * (double)i / (double)n)
			return p[i - 1];
	return -1;
}
