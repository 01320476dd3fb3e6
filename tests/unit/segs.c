/* SPDX-License-Identifier: ISC */
#include "elffile/segs.h"

#include <stdbool.h>

#include "unit.h"

static void
test_nested(void)
{
	struct seg_range r[] = {
	    {50, 60, 2},
	    {0, 100, 0},
	    {10, 40, 1},
	    {10, 20, 3},
	    {100, 110, 4},
	    {200, 210, 5},
	    {300, 300, 6},
	};
	struct segs s;

	segs_build(r, sizeof r / sizeof *r, &s);
	CHECK(segs_find(&s, 0) == 0);
	CHECK(segs_find(&s, 15) == 3);
	CHECK(segs_find(&s, 20) == 1);
	CHECK(segs_find(&s, 40) == 0);
	CHECK(segs_find(&s, 55) == 2);
	CHECK(segs_find(&s, 60) == 0);
	CHECK(segs_find(&s, 99) == 0);
	CHECK(segs_find(&s, 100) == 4);
	CHECK(segs_find(&s, 110) == SEG_NONE);
	CHECK(segs_find(&s, 205) == 5);
	CHECK(segs_find(&s, 300) == SEG_NONE);
	segs_done(&s);
	segs_build(NULL, 0, &s);
	CHECK(segs_find(&s, 0) == SEG_NONE);
	segs_done(&s);
}

/* Any ranges at all: the answer is always one that holds the address. */
static void
test_random(void)
{
	struct seg_range r[64], keep[64];
	struct segs s;
	unsigned seed = 1;

	for (int round = 0; round < 500; round++) {
		for (uint32_t i = 0; i < 64; i++) {
			seed = seed * 1103515245 + 12345;
			r[i].lo = seed >> 16 & 127;
			if (round % 2) /* far apart */
				r[i].lo *= r[i].lo * 977;
			seed = seed * 1103515245 + 12345;
			r[i].hi = r[i].lo + (seed >> 16 & 31);
			r[i].id = i;
			keep[i] = r[i];
		}
		segs_build(r, 64, &s);
		for (uint64_t n = 0; n < 64 + 170; n++) {
			uint64_t a = n < 64 ? keep[n].lo + n % 7 : n - 64;

			uint32_t id = segs_find(&s, a);
			bool any = false;

			for (size_t i = 0; i < 64; i++)
				any |= a >= keep[i].lo && a < keep[i].hi;
			CHECK(any == (id != SEG_NONE));
			CHECK(id == SEG_NONE ||
			      (a >= keep[id].lo && a < keep[id].hi));
		}
		segs_done(&s);
	}
}

int
main(void)
{
	test_nested();
	test_random();
	return unit_end();
}
