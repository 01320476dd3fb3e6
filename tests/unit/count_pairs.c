/* SPDX-License-Identifier: ISC */
/* Pairs of a stack and code, and their counts. */
#include "trace/pairs.h"

#include "unit.h"

enum { MANY = 100000, FAR = 77777, STACKS = 300 };

static void
test_find(void)
{
	unsigned wrong = 0;

	for (uint32_t i = 0; i < MANY; i++)
		wrong += pairs_find(i % STACKS + 1, i / STACKS, MANY) != i;
	for (uint32_t i = MANY; i-- > 0;)
		wrong += pairs_find(i % STACKS + 1, i / STACKS, MANY) != i ||
			 pairs_stack(i) != i % STACKS + 1 ||
			 pairs_code(i) != i / STACKS;
	CHECK(wrong == 0);
	CHECK(pairs_size() == MANY);
	CHECK(pairs_find(1, MANY, MANY) == PAIRS_NONE);
	CHECK(pairs_size() == MANY);
	CHECK(pairs_find(0, 0, SIZE_MAX) == MANY);
	CHECK(pairs_find(0, 0, SIZE_MAX) == MANY);
}

static void
test_counts(void)
{
	CHECK(pairs_take(FAR) == 0);
	pairs_add(FAR, UINT32_MAX);
	pairs_add(FAR + 1, 5);
	CHECK(pairs_take(FAR) == UINT32_MAX);
	pairs_add(FAR, UINT32_MAX);
	pairs_add(FAR, 1);
	pairs_add(FAR, UINT64_C(3) << 40);
	pairs_add(FAR, UINT64_MAX);
	CHECK(pairs_take(FAR) == (UINT64_C(3) << 40) + UINT32_MAX);
	CHECK(pairs_take(FAR) == 0);
	/* what is taken back lacks in the next piece of time */
	pairs_add(FAR, UINT64_MAX);
	CHECK(pairs_take(FAR) == 0);
	pairs_add(FAR, 3);
	CHECK(pairs_take(FAR) == 2);
	CHECK(pairs_take(FAR + 1) == 5);
}

int
main(void)
{
	test_find();
	test_counts();
	return unit_end();
}
