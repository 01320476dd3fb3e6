/* SPDX-License-Identifier: ISC */
#include "memory/memory.h"

#include "unit.h"

static void
test_words(void)
{
	struct snap s = {0};
	uint64_t w;

	memset(snap_add(&s, 0x1000, 12), 0x11, 12);
	memset(snap_add(&s, 0x100c, 12), 0x22, 12);
	memset(snap_add(&s, 0xffffffffffffff00, 256), 0x33, 256);
	CHECK(s.n == 2);
	CHECK(snap_word(&s, 0x1000, 8, &w) == 0 && w == 0x1111111111111111);
	CHECK(snap_word(&s, 0x1008, 8, &w) == 0 && w == 0x2222222211111111);
	CHECK(snap_word(&s, 0x1010, 8, &w) == 0);
	CHECK(snap_word(&s, 0x1011, 8, &w) == -1);
	CHECK(snap_word(&s, 0xfff, 8, &w) == -1);
	CHECK(snap_word(&s, UINT64_MAX - 7, 8, &w) == 0);
	CHECK(snap_word(&s, UINT64_MAX - 6, 8, &w) == -1);
	snap_clear(&s);
	CHECK(snap_word(&s, 0x1000, 8, &w) == -1);
	for (int i = 0; i < SNAP_PARTS; i++)
		CHECK(snap_add(&s, (uint64_t)i * 64, 8) != NULL);
	CHECK(snap_add(&s, 1 << 20, 8) == NULL);
	snap_done(&s);
}

/* Parts in no order, with a gap. */
static void
test_missing(void)
{
	struct snap s = {0};
	uint64_t w, addr;
	uint8_t b[32];
	size_t n;

	memset(snap_add(&s, 0x1010, 16), 0x22, 16);
	memset(snap_add(&s, 0x1000, 16), 0x11, 16);
	memset(snap_add(&s, 0x1030, 16), 0x33, 16);
	CHECK(snap_word(&s, 0x100c, 8, &w) == 0 && w == 0x2222222211111111);
	CHECK(snap_bytes(&s, 0x1000, b, 32) == 0 && b[15] == 0x11 &&
	      b[16] == 0x22);
	CHECK(snap_bytes(&s, 0x1018, b, 9) == -1);
	addr = 0x1008, n = 0x38;
	snap_missing(&s, &addr, &n);
	CHECK(addr == 0x1020 && n == 16);
	addr = 0x1004, n = 20;
	snap_missing(&s, &addr, &n);
	CHECK(n == 0);
	addr = 0xff0, n = 0x18;
	snap_missing(&s, &addr, &n);
	CHECK(addr == 0xff0 && n == 16);
	addr = 0x2000, n = 8;
	snap_missing(&s, &addr, &n);
	CHECK(addr == 0x2000 && n == 8);
	snap_done(&s);
}

/* Bytes from sp to the end of its stack; 0: not known. */
static uint64_t
need(struct extents *s, uint64_t sp)
{
	const struct extent *e = extents_find(s, sp);

	return e != NULL ? e->top - sp : 0;
}

static void
test_stacks(void)
{
	static struct extents s;

	CHECK(need(&s, 0x5000) == 0);
	extents_learn(&s, 0x7f00, 0x8000);
	CHECK(need(&s, 0x7f80) == 0x80);
	CHECK(need(&s, 0x7000) == 0x1000);
	CHECK(need(&s, 0x6fff) == 0);
	CHECK(need(&s, 0x8000) == 0);
	/* The next stack, then the first one grows. */
	extents_learn(&s, 0x8800, 0xc000);
	extents_learn(&s, 0x4010, 0x7ff0);
	CHECK(s.n == 2);
	CHECK(need(&s, 0x4010) == 0x3ff0);
	CHECK(need(&s, 0x9000) == 0x3000);
	/* One that holds both, and what they needed besides. */
	extent_beside(extents_find(&s, 0x9000), 0x123400, 0x20);
	extents_learn(&s, 0x1000, 0xd000);
	CHECK(s.n == 1 && need(&s, 0x1000) == 0xc000);
	CHECK(extents_find(&s, 0x1000)->besides[0].addr == 0x123400);
	extents_forget(&s, 0x9000);
	CHECK(s.n == 0 && need(&s, 0x9000) == 0);
	extents_forget(&s, 0x9000);
	extents_learn(&s, 0x9000, 0x9000);
	CHECK(s.n == 0);
	/* Where an entry will save registers, up to the page's end. */
	extents_learn(&s, 0x9000, 0xadf8);
	CHECK(need(&s, 0x9000) == 0x1df8);
	extents_learn(&s, 0x9000, 0xae00);
	CHECK(need(&s, 0x9000) == 0x2000);
	/* More than are kept. */
	for (uint64_t i = 0; i < 2 * EXTENTS_MAX; i++)
		extents_learn(&s, i << 14, (i << 14) + 64);
	CHECK(s.n <= EXTENTS_MAX && s.n > 0);
}

int
main(void)
{
	test_words();
	test_missing();
	test_stacks();
	return unit_end();
}
