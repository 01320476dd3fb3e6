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

/* Shows block after block at this place; returns after how many it was found.
 */
static int
looks_for(struct slide *s, uint64_t by)
{
	int looks = 1;

	while (looks < 64 &&
	       !slide_look(s, s->low + by + 0x3000 + 0x340U * (unsigned)looks,
		   code + 0x3000 + 0x340 * looks, 20))
		looks++;
	return looks;
}

static void
test_moved(uint64_t by)
{
	struct slide s = {
	    .code = code, .low = 0xffffffff81000000, .size = SIZE};
	const uint64_t at = s.low + by;

	/* short, of a place that there is twice, or other, or the same */
	for (int i = 0; i < 20; i++) {
		CHECK(!slide_look(&s, at + 0x5000, code + 0x5000, 15));
		CHECK(!slide_look(&s, at + 4096, code + 4096, 32));
		CHECK(!slide_look(&s, at + 0x6000, code + 0x6001, 32));
	}
	for (int i = 0; i < 20; i++)
		CHECK(!slide_look(&s, at + 0x9800, code + 0x9800, 32));
	CHECK(!slide_seen(&s));
	CHECK(looks_for(&s, by) < 20 && s.places == 1 && s.by[0] == by);
	CHECK(!slide_look(&s, at + 0x6000, code + 0x6001, 32));
}

/*
 * Of two places, where it begins, in the other half, and where it goes on; it
 * was where it is linked, too, where a program then runs.
 */
static void
test_places(void)
{
	struct slide s = {.code = code, .low = 0x200000, .size = SIZE};
	const uint64_t low = 0x1000000, high = 0xffffffff80000000;

	for (unsigned i = 0; i < SIZE; i += 64)
		CHECK(!slide_look(&s, s.low + i, code + i, 32));
	CHECK(slide_seen(&s) && slide_last(&s) == 0);
	CHECK(!slide_left(&s, s.low + 64, code, 32));
	CHECK(looks_for(&s, low) < 20 && looks_for(&s, high) < 20);
	CHECK(s.places == 2 && s.by[0] == low && s.by[1] == high);
	CHECK(!slide_left(&s, s.low + high + 64, code, 32));
	CHECK(slide_left(&s, s.low + 64, code, 32));
	CHECK(slide_left(&s, s.low + 128, code + 128, 3));
	CHECK(!slide_left(&s, s.low + 64, code + 64, 32));
	CHECK(!slide_left(&s, s.low + 64, code, 3));
	/* and comes back, so what differs there is code that was patched */
	for (unsigned i = 0; i < 40; i++)
		CHECK(!slide_look(
		    &s, s.low + 0x3000 + i * 64, code + 0x3000 + i * 64, 32));
	CHECK(s.home && !slide_left(&s, s.low + 64, code, 32));
}

/* Blocks of few bytes: most of them have to be the file's. */
static void
test_few(void)
{
	struct slide s = {.code = code, .low = 0x200000, .size = SIZE};

	slide_look(&s, s.low + 64, code + 64, 8);
	CHECK(slide_seen(&s));
	slide_look(&s, s.low + 128, code + 64, 8);
	slide_look(&s, 0x1000, code + 64, 8);
	CHECK(!slide_seen(&s));
}

/* However much else was executed before. */
static void
test_late(void)
{
	struct slide s = {.code = code, .low = 0x200000, .size = SIZE};
	uint8_t other[32] = {0};

	for (uint32_t i = 0; i < 100000; i++) {
		memcpy(other, &i, sizeof i);
		CHECK(!slide_look(&s, 0x10000000 + i * 64, other, 32));
	}
	CHECK(looks_for(&s, 0x5000000) < 20 && s.by[0] == 0x5000000);
}

/* Votes for many places do not crowd out the right one. */
static void
test_noise(void)
{
	struct slide s = {.code = code, .low = 0x1000, .size = SIZE};

	for (uint64_t i = 1; i < 1000; i++)
		CHECK(!slide_look(&s, 0x1000 + i * 4096, code + 0x9000, 32));
	for (int i = 0; i < 200 && !s.places; i++)
		slide_look(&s, 0x801000 + 0x40U * (unsigned)i + 0xa000,
		    code + 0xa000 + 0x40 * i, 32);
	CHECK(s.places == 1 && s.by[0] == 0x800000);
	s = (struct slide){0};
	CHECK(!slide_look(&s, 0x1000, code, 32) && slide_seen(&s));
}

int
main(void)
{
	fill();
	test_moved(0x2e000000);
	test_moved((uint64_t)-0x1000000);
	test_places();
	test_late();
	test_few();
	test_noise();
	return unit_end();
}
