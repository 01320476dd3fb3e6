/* SPDX-License-Identifier: ISC */
/* Bounds of looks, against those that DeMets and Lan publish. */
#include <math.h>

#include "rounds.h"
#include "stats/stats.h"
#include "unit.h"

/* The bound of a look, where each adds as much information as the others. */
static double
bound(size_t first, size_t last, size_t now)
{
	struct rounds r = {first, last};

	return stats_t_quantile(rounds_level(&r, 1000000000, now), INFINITY);
}

int
main(void)
{
	static const double five[] = {4.8769, 3.3569, 2.6803, 2.2898, 2.0310};
	struct rounds r = {3, 9};
	double before = 0;

	for (size_t i = 0; i < 5; i++)
		CHECK(fabs(bound(1, 5, i + 1) - five[i]) < 2e-3);
	CHECK(fabs(bound(1, 2, 1) - 2.9626) < 2e-3);
	CHECK(fabs(bound(1, 2, 2) - 1.9686) < 2e-3);
	/* a single look has all of it; more and more is known */
	CHECK(fabs(bound(4, 4, 4) - 1.95996) < 1e-4);
	for (size_t i = 3; i <= 9; i++) {
		CHECK(rounds_level(&r, 9, i) > before);
		before = rounds_level(&r, 9, i);
	}
	CHECK(before < 0.05);
	return unit_end();
}
