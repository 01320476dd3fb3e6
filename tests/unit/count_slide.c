/* SPDX-License-Identifier: ISC */
/* Where a kernel's code is, by blocks of it. */
#include <string.h>

#include "live/slide.h"
#include "unit.h"

enum { SIZE = 64 << 12 };

static uint8_t code[SIZE];

/* Bytes that do not repeat, but for two equal pages. */
static void
fill(void)
{
	uint32_t x = 1;

	for (size_t i = 0; i < SIZE; i++) {
		x = x * 1664525 + 1013904223;
		code[i] = (uint8_t)(x >> 24);
	}
	memcpy(code + 8192, code + 4096, 4096);
}

static void
test_moved(uint64_t by)
{
	struct slide s = {
	    .code = code, .low = 0xffffffff81000000, .size = SIZE};
	int looks = 0;

	/* of the firmware, short, of a place that there is twice, or other */
	for (int i = 0; i < 20; i++) {
		CHECK(!slide_look(&s, 0xf0000, code, 32));
		CHECK(!slide_look(&s, s.low + by + 0x5000, code + 0x5000, 15));
		if (by)
			CHECK(!slide_look(
			    &s, s.low + by + 4096, code + 4096, 32));
		CHECK(!slide_look(&s, s.low + by + 0x6000, code + 0x6001, 32));
	}
	CHECK(s.seen == (by == 0));
	do
		looks++;
	while (!slide_look(&s, s.low + by + 0x7000U * (unsigned)looks,
		   code + 0x7000 * looks, 20) &&
	       looks < 9);
	CHECK(looks == 8 && s.found && s.by == by);
	CHECK(!slide_look(&s, 1, code, 32) && s.by == by);
}

/* Votes for many places do not crowd out the right one. */
static void
test_noise(void)
{
	struct slide s = {.code = code, .low = 0x1000, .size = SIZE};

	for (uint64_t i = 1; i < 1000; i++)
		CHECK(!slide_look(&s, 0x1000 + i * 4096, code + 0x9000, 32));
	for (int i = 0; i < 200 && !s.found; i++)
		slide_look(&s, 0x801000 + 0x40U * (unsigned)i + 0xa000,
		    code + 0xa000 + 0x40 * i, 32);
	CHECK(s.found && s.by == 0x800000);
	s = (struct slide){0};
	CHECK(!slide_look(&s, 0x1000, code, 32) && !s.seen);
}

int
main(void)
{
	fill();
	test_moved(0);
	test_moved(0x2e000000);
	test_moved((uint64_t)-0x1000000);
	test_noise();
	return unit_end();
}
