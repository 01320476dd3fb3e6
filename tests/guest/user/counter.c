/* SPDX-License-Identifier: ISC */
/*
 * Another program of ring 3, at the same addresses: counts, in turns with the
 * other process of its CPU.
 */
#include "user.h"

static u64 numbers[16];

static FRAME void
add(u64 n)
{
	u64 end = tsc() + n;

	while (tsc() < end)
		numbers[n & 15]++;
}

static FRAME void
count(u64 depth, u64 n)
{
	if (depth > 1)
		count(depth - 1, n);
	else
		add(n);
	numbers[depth & 15]++;
}

FRAME void
user_main(u64 ms)
{
	for (;;) {
		count(5, 5 * ms);
		call(SYS_YIELD, 0);
	}
}
