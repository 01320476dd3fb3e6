/* SPDX-License-Identifier: ISC */
/* Calls that take longer and longer, and those that only vary. */
#include <math.h>

#include "calls.h"
#include "growth.h"
#include "unit.h"

enum { MOST = 2048, TRIES = 4000 };

static uint64_t state = 1;

static double
draw(void) /* 0 to 1, neither of them */
{
	state = state * 6364136223846793005 + 1442695040888963407;
	return ((double)(state >> 33) + 0.5) / (double)(UINT64_C(1) << 31);
}

/* As if each `step`th call had been chosen. */
static struct growth
judged(double (*ns)(double at), size_t n, uint64_t step)
{
	static struct call v[MOST];

	for (size_t i = 0; i < n; i++)
		v[i] = (struct call){.order = i * step,
		    .ns = (uint64_t)ns((double)i / (double)n)};
	return growth_judge(v, n, n * step);
}

static double
constant(double at)
{
	return at >= 0 ? 5000 : 0;
}

static double
alternating(double at)
{
	static bool is;

	(void)at;
	return (is = !is) ? 100 : 900;
}

static double
even(double at)
{
	(void)at;
	return 1000 + 4000 * draw();
}

static double
heavy(double at) /* the mean does not exist */
{
	(void)at;
	return 500 / draw();
}

static double
one_slow_end(double at)
{
	return at > 0.97 ? 900000 : 1000 + 10 * draw();
}

static double
grows(double at)
{
	return 1000 + 9000 * at + 500 * draw();
}

static double
falls(double at)
{
	return 10000 - 9000 * at;
}

/* By a third: too little to be told. */
static double
hardly(double at)
{
	return 1000 + 400 * at;
}

static double
jumps(double at)
{
	return at < 0.5 ? 1000 : 2000;
}

/* Up and down again: the middle is what differs. */
static double
hill(double at)
{
	return 1000 + 9000 * (1 - fabs(2 * at - 1));
}

/* How often of 1000 it is told of. */
static double
rate(double (*ns)(double at), size_t n)
{
	size_t told = 0;

	for (size_t i = 0; i < TRIES; i++)
		told += judged(ns, n, 1).is;
	return 1000.0 * (double)told / TRIES;
}

int
main(void)
{
	static const size_t sizes[] = {20, 31, 200};
	struct growth g;

	for (size_t i = 0; i < 3; i++) {
		CHECK(rate(even, sizes[i]) <= 2);
		CHECK(rate(heavy, sizes[i]) <= 2);
		CHECK(judged(grows, sizes[i], 1).is);
		CHECK(judged(falls, sizes[i], 1).is);
		CHECK(judged(jumps, sizes[i], 1).is);
		CHECK(!judged(constant, sizes[i], 1).is);
		CHECK(!judged(alternating, sizes[i], 1).is);
		CHECK(!judged(hardly, sizes[i], 1).is);
		CHECK(!judged(hill, sizes[i], 1).is);
		CHECK(!judged(one_slow_end, sizes[i], 1).is);
	}
	CHECK(!judged(grows, 19, 1).is);
	CHECK(!judged(grows, 0, 1).is);
	g = judged(grows, MOST, 1000);
	CHECK(g.is && fabs(g.last / g.first - 9800.0 / 1700) < 0.2);
	g = judged(falls, MOST, 1);
	CHECK(g.is && g.last < g.first / 5);
	return unit_end();
}
