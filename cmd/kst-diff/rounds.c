/* SPDX-License-Identifier: ISC */
/*
 * Lan and DeMets, Biometrika 70 (1983), 659: what may be spent of the 2.5 % of
 * each side until a share t of all information is 2 - 2 P(2.24 / sqrt(t)), as
 * O'Brien and Fleming's bound does. The bounds follow from the distribution of
 * the sum that has not crossed them, which is integrated from look to look:
 * Armitage, McPherson and Rowe, J. R. Stat. Soc. A 132 (1969), 235.
 */
#include "rounds.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"

enum { LOOKS_MAX = 50, POINTS = 201 };

int
rounds_option(void *rounds, const char *arg, struct buf *err)
{
	struct rounds *r = rounds;
	const char *dash = strchr(arg, '-');
	uint64_t first, last;

	if (dash && num_u64(arg, (size_t)(dash - arg), &first) == 0 &&
	    num_u64(dash + 1, strlen(dash + 1), &last) == 0 && first > 1 &&
	    first <= last && last <= LOOKS_MAX) {
		r->first = (size_t)first;
		r->last = (size_t)last;
		return 0;
	}
	buf_printf(err, "is not two numbers of runs such as 3-9, from 2 to %d",
	    LOOKS_MAX);
	return -1;
}

/* The sum's density at equally spaced points between the bounds of a look. */
struct density {
	double at[POINTS], weight[POINTS];
};

/* How probable it is that the sum lies beyond the bound a time dt later. */
static double
beyond(const struct density *d, double dt, double bound)
{
	double s = sqrt(2 * dt), p = 0;

	for (int i = 0; i < POINTS; i++)
		p += d->weight[i] *
		     (erfc((bound - d->at[i]) / s) +
			 erfc((bound + d->at[i]) / s)) /
		     2;
	return p;
}

/* By bisection: the bound beyond which the sum lies with that probability. */
static double
bound_of(const struct density *d, double dt, double p)
{
	double low = 0, high = 40;

	for (int i = 0; i < 60; i++) {
		double mid = (low + high) / 2;

		if (beyond(d, dt, mid) > p)
			low = mid;
		else
			high = mid;
	}
	return high;
}

static void
advance(struct density *d, double dt, double bound)
{
	struct density next;
	double step = 2 * bound / POINTS;

	for (int i = 0; i < POINTS; i++) {
		next.at[i] = (i + 0.5) * step - bound;
		next.weight[i] = 0;
		for (int k = 0; k < POINTS; k++) {
			double x = next.at[i] - d->at[k];

			next.weight[i] += d->weight[k] * step *
					  exp(-x * x / (2 * dt)) /
					  sqrt(2 * M_PI * dt);
		}
	}
	*d = next;
}

double
rounds_level(const struct rounds *r, size_t before, size_t now)
{
	struct density d = {.weight = {1}}; /* all at 0 */
	double m = (double)before, t = 0, dt = 0, spent = 0, bound = 0;
	double all = (double)r->last / (m + (double)r->last);

	for (size_t n = r->first; n <= now; n++) {
		double share = (double)n / (m + (double)n) / all;
		double spend = 2 * erfc(2.241403 / sqrt(2 * share));

		if (n > r->first)
			advance(&d, dt, bound);
		dt = share - t;
		t = share;
		bound = bound_of(&d, dt, spend - spent);
		spent = spend;
	}
	return erfc(bound / sqrt(2 * t));
}
