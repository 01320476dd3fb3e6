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

int
main(void)
{
	test_words();
	test_missing();
	return unit_end();
}
