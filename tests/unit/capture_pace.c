/* SPDX-License-Identifier: ISC */
/* The times of samples: their rate, their places, and what is left out. */
#include "capture.h"

#include "unit.h"

enum { STEP = 10000, N = 10000 };

/* Each sample is in its own interval; all places are met as often. */
static void
check_jitter(uint64_t seed)
{
	struct pace p = {
	    .start = 1000000, .step = STEP, .seed = seed, .jitter = true};
	unsigned tenth[10] = {0};

	for (uint64_t k = 1; k <= N; k++) {
		uint64_t due = pace_next(&p, p.start + (k - 1) * STEP);
		uint64_t low = p.start + k * STEP - STEP / 2;

		CHECK(due >= low && due < low + STEP);
		tenth[(due - low) * 10 / STEP % 10]++;
	}
	for (int i = 0; i < 10; i++)
		CHECK(tenth[i] > N / 10 - 150 && tenth[i] < N / 10 + 150);
	CHECK(p.missed == 0);
}

static void
check_seeds(void)
{
	struct pace a = {
	    .start = 100000, .step = STEP, .seed = 7, .jitter = true};
	struct pace b = a, c = a;
	unsigned same = 0;

	c.seed = 8;
	for (int i = 0; i < 100; i++) {
		uint64_t due = pace_next(&a, 0);

		CHECK(due == pace_next(&b, 0));
		same += due == pace_next(&c, 0);
	}
	CHECK(same < 3);
}

static void
check_grid(void)
{
	struct pace p = {.start = 100000, .step = STEP};

	CHECK(pace_next(&p, 100001) == 110000);
	/* A little late is taken at once, more is left out. */
	CHECK(pace_next(&p, 129999) == 120000);
	CHECK(p.missed == 0);
	CHECK(pace_next(&p, 155000) == 160000);
	CHECK(p.missed == 3);
	CHECK(pace_next(&p, 160000) == 170000);
	p.step = 0;
	CHECK(pace_next(&p, 5) == 5);
}

/* Samples that take five intervals each still fall at random places. */
static void
check_late(void)
{
	struct pace p = {
	    .start = 100000, .step = STEP, .seed = 3, .jitter = true};
	uint64_t now = p.start;
	unsigned n = 0;

	while (now < p.start + 1000 * STEP) {
		uint64_t due = pace_next(&p, now);

		CHECK(due >= now);
		now = due + 5 * STEP;
		n++;
	}
	CHECK(n > 160 && n <= 201);
	CHECK(p.missed + n >= 999 && p.missed + n <= 1006);
}

/* Stops of 1 ms each 10 ms, of which 3 % are allowed: a sample each 33 ms. */
static void
check_budget(void)
{
	struct budget b = {.share = 0.03}, none = {0};
	uint64_t now = 1000000, begin = now, ns = 0, next;

	for (int i = 0; i < 1000; i++) {
		ns += 1000000;
		next = budget_next(&b, now, 1000000);
		now = next > now + 10000000 ? next : now + 10000000;
	}
	CHECK((double)ns < 0.031 * (double)(now - begin));
	CHECK((double)ns > 0.029 * (double)(now - begin));
	/* a guest that stood for a minute waits for a second, not for more */
	next = budget_next(&b, now, UINT64_C(60000000000));
	CHECK(next > now + 900000000 && next <= now + 1000000000);
	/* what was saved in an hour is a second's share */
	now += UINT64_C(3600000000000);
	CHECK(budget_next(&b, now, 29000000) == now);
	CHECK(budget_next(&b, now, 2000000) > now);
	CHECK(budget_next(&none, now, 2000000) == now);
	/* the first 300 ms are free, what comes after is not */
	b = (struct budget){.share = 0.03, .free = 3e8};
	CHECK(budget_next(&b, now, 290000000) == now);
	CHECK(budget_next(&b, now, 20000000) > now + 300000000);
}

int
main(void)
{
	check_jitter(1);
	check_jitter(0xfeedface12345678);
	check_seeds();
	check_budget();
	check_grid();
	check_late();
	return unit_end();
}
