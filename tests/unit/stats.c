/* SPDX-License-Identifier: ISC */
/* Statistics, against published tables and examples. */
#include "stats/stats.h"

#include <math.h>

#include "unit.h"

#define NEAR(got, want, by) CHECK(fabs((got) - (want)) <= (by))

static void
student(void)
{
	/* the usual table: 95 and 99 % within, and the normal distribution */
	static const double table[][3] = {{1, 12.706, 63.657},
	    {2, 4.303, 9.925}, {3, 3.182, 5.841}, {5, 2.571, 4.032},
	    {10, 2.228, 3.169}, {30, 2.042, 2.750}, {120, 1.980, 2.617},
	    {INFINITY, 1.960, 2.576}};

	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		NEAR(stats_t_quantile(0.05, table[i][0]), table[i][1], 6e-4);
		NEAR(stats_t_quantile(0.01, table[i][0]), table[i][2], 6e-4);
	}
	/* of df 1 and 2 the distribution is known in closed form */
	NEAR(stats_t_tails(1, 1), 0.5, 1e-12);
	NEAR(stats_t_tails(3, 2), 1 - 3 / sqrt(11), 1e-12);
	NEAR(stats_t_tails(-3, 2), 1 - 3 / sqrt(11), 1e-12);
	NEAR(stats_t_tails(0, 7), 1, 1e-12);
	/* no step where the normal distribution takes over */
	NEAR(stats_t_tails(2, 999999), stats_t_tails(2, 1000001), 1e-6);
}

/* Student's sleep data, as R's t.test() shows them. */
static void
welch(void)
{
	static const double a[] = {
	    0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
	static const double b[] = {
	    1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};
	struct stats_mean x = stats_mean(a, 10), y = stats_mean(b, 10);
	double df = stats_welch_df(&x, &y), d = x.mean - y.mean;
	double se = sqrt(x.var + y.var), half = stats_t_quantile(0.05, df) * se;

	NEAR(d / se, -1.8608, 5e-5);
	NEAR(df, 17.776, 5e-4);
	NEAR(stats_t_tails(d / se, df), 0.07939, 5e-6);
	NEAR(d - half, -3.3654832, 5e-7);
	NEAR(d + half, 0.2054832, 5e-7);
}

/* The example of Benjamini and Hochberg: 4 of 15. */
static void
significant(void)
{
	double p[] = {1.0, .0001, .0004, .0019, .0095, .0201, .0278, .0298,
	    .0344, .0459, .3240, .4262, .5719, .6528, .7590};
	double none[] = {.5, .06};

	NEAR(stats_significant(p, 15, 0.05), (double).0095, 0);
	NEAR(stats_significant(none, 2, 0.05), -1, 0);
	NEAR(stats_significant(NULL, 0, 0.05), -1, 0);
}

/* Fisher's convicts and his lady with the tea; 7 of 10 throws of a coin. */
static void
exact(void)
{
	NEAR(stats_fisher(10, 13, 2, 17), 2 * .0004652, 1e-6);
	NEAR(stats_fisher(2, 17, 10, 13), 2 * .0004652, 1e-6);
	NEAR(stats_fisher(3, 4, 1, 4), 34. / 70, 1e-9);
	NEAR(stats_fisher(2, 4, 2, 4), 1, 0);
	NEAR(stats_fisher(0, 600, 5, 60000), 1, 0);
	/* for large counts, the normal distribution */
	NEAR(stats_fisher(20000, 1e5, 20400, 1e5),
	    erfc(400 / sqrt(.202 * .798 * 2e5) / sqrt(2)), 1e-3);
	NEAR(stats_fisher(1, 1e13, 1e6, 1e13), 0, 0);
	NEAR(stats_binomial(7, 3, .5), 2 * .171875, 1e-9);
	NEAR(stats_binomial(0, 4, .25), 2 * .31640625, 1e-9);
	NEAR(stats_binomial(0, 0, .5), 1, 0);
}

int
main(void)
{
	student();
	welch();
	significant();
	exact();
	return unit_end();
}
