/* SPDX-License-Identifier: ISC */
#include "memory/memory.h"

#include "unit.h"

static unsigned reads;

/* Memory from 0x1000 to 0x2000, whose bytes are their addresses; now or not. */
static int
fetch(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	if (!*(bool *)arg || addr < 0x1000 || addr + n > 0x2000)
		return -1;
	reads++;
	for (size_t i = 0; i < n; i++)
		to[i] = (uint8_t)(addr + i);
	return 0;
}

int
main(void)
{
	static struct code c;
	bool stopped = true;
	uint8_t b[8];

	CHECK(code_bytes(&c, 0x1005, b, 2, fetch, &stopped) == 2);
	CHECK(b[0] == 5 && b[1] == 6 && reads == 1);
	/* Over the border of two blocks: the second one is read too. */
	CHECK(code_bytes(&c, 0x13fe, b, 4, fetch, &stopped) == 4);
	CHECK(b[0] == 0xfe && b[2] == 0 && reads == 2);
	/* To the end of what is mapped. */
	CHECK(code_bytes(&c, 0x1ffe, b, 4, fetch, &stopped) == 2);
	CHECK(code_bytes(&c, 0x9000, b, 4, fetch, &stopped) == 0);
	/* While the guest runs: what is kept. */
	stopped = false;
	CHECK(code_bytes(&c, 0x17f8, b, 4, fetch, &stopped) == 4);
	CHECK(code_bytes(&c, 0x1bf8, b, 4, fetch, &stopped) == 0);
	/* Another address at the same place is not taken for it. */
	CHECK(code_bytes(&c, 0x1000 + CODE_BLOCK * CODE_BLOCKS, b, 1, fetch,
		  &stopped) == 0);
	CHECK(code_bytes(&c, 0x1000, b, 1, fetch, &stopped) == 1);
	CHECK(reads == 3);
	return unit_end();
}
