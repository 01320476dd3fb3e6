/* SPDX-License-Identifier: ISC */
#include "unwind/orc.h"

#include "unit.h"

/* The registers of an entry, as arch/x86/include/asm/orc_types.h has them. */
enum {
	REG_UNDEFINED,
	REG_PREV_SP,
	REG_BP = 4,
	REG_SP,
	REG_R10,
	REG_SP_INDIRECT = 9
};

/* DWARF's numbers. */
enum { RBP = 6, RSP = 7, R10 = 10, RIP = 16 };

/* The .orc_header of Debian's Linux 6.12. */
static const uint8_t header_6_4[20] = {0xfe, 0x5d, 0x32, 0xbf, 0x58, 0x1b, 0xd6,
    0x3b, 0x2c, 0xa9, 0xa5, 0xc6, 0x5b, 0xa5, 0xa6, 0x25, 0xea, 0xb3, 0xfe,
    0x24};

enum { TEXT = 0x1000, IP = 0x8000, STACK = 0x100, N = 7 };

/* Word i of the stack is at 8 * i + STACK. */
static uint64_t stack[64];

static int
read_word(void *arg, uint64_t addr, uint64_t *word)
{
	(void)arg;
	if (addr < STACK || addr >= STACK + sizeof stack || (addr & 7) != 0)
		return -1;
	*word = stack[(addr - STACK) / 8];
	return 0;
}

struct entry {
	uint32_t at;
	int16_t sp_off, bp_off;
	uint8_t sp, bp, type, more; /* more: the bits above the type's */
};

static struct orc *
build(const struct entry *e, size_t n, int type_bits, const uint8_t *header)
{
	static uint8_t ip[4 * N], table[6 * N];
	struct orc_sections s = {
	    ip, table, header, 4 * n, 6 * n, header ? 20 : 0, IP};

	for (size_t i = 0; i < n; i++) {
		uint32_t off = e[i].at - (uint32_t)(IP + 4 * i);
		unsigned bits = e[i].sp | e[i].bp << 4 | e[i].type << 8 |
				e[i].more << (8 + type_bits);
		uint8_t six[6] = {(uint8_t)e[i].sp_off,
		    (uint8_t)(e[i].sp_off >> 8), (uint8_t)e[i].bp_off,
		    (uint8_t)(e[i].bp_off >> 8), (uint8_t)bits,
		    (uint8_t)(bits >> 8)};

		for (int k = 0; k < 4; k++)
			ip[4 * i + (size_t)k] = (uint8_t)(off >> 8 * k);
		memcpy(table + 6 * i, six, 6);
	}
	return orc_new(&s);
}

/* One table in the three layouts, in no order. */
static void
test_layouts(void)
{
	static const struct entry e5[] = {
	    {TEXT + 0x40, 0, 0, REG_UNDEFINED, 0, 0, 1}, /* the end */
	    {TEXT, 8, 0, REG_SP, 0, 0, 0},
	    {TEXT + 0x10, 16, -16, REG_BP, REG_PREV_SP, 0, 0},
	    {TEXT + 0x20, 0, 0, REG_SP, 0, 1, 0},
	    {TEXT + 0x30, 0, 0, REG_SP, 0, 2, 0},
	    {TEXT + 0x50, 0, 0, REG_UNDEFINED, 0, 0, 0}};
	struct entry e63[6], e64[6];
	struct orc *o[3];

	memcpy(e63, e5, sizeof e5);
	memcpy(e64, e5, sizeof e5);
	for (int i = 0; i < 6; i++) {
		e63[i].more = e5[i].type ? 1 : e5[i].more ? 2 : 0;
		e64[i].more = e5[i].type != 0;
		e64[i].type = e5[i].more ? 1 : e5[i].sp ? 2 + e5[i].type : 0;
	}
	o[0] = build(e5, 6, 2, NULL);
	o[1] = build(e63, 6, 2, NULL);
	o[2] = build(e64, 6, 3, header_6_4);
	for (int i = 0; i < 3; i++) {
		CHECK(o[i] != NULL);
		CHECK(orc_row(o[i], TEXT - 1).type == ORC_UNDEFINED);
		CHECK(orc_row(o[i], TEXT).type == ORC_CALL);
		CHECK(orc_row(o[i], TEXT + 0xf).sp_off == 8);
		CHECK(orc_row(o[i], TEXT + 0x10).bp_off == -16);
		CHECK(!orc_row(o[i], TEXT + 0x10).signal);
		CHECK(orc_row(o[i], TEXT + 0x20).type == ORC_REGS);
		CHECK(orc_row(o[i], TEXT + 0x20).signal);
		CHECK(orc_row(o[i], TEXT + 0x3f).type == ORC_PARTIAL);
		CHECK(orc_row(o[i], TEXT + 0x40).type == ORC_END);
		CHECK(orc_row(o[i], TEXT + 0x50).type == ORC_UNDEFINED);
		orc_free(o[i]);
	}
	/* Definitions that nobody here has seen. */
	CHECK(build(e64, 6, 3, (const uint8_t[20]){1}) == NULL);
	CHECK(build(e5, 0, 2, NULL) == NULL);
}

static void
test_steps(void)
{
	struct unwind_regs r = {.r = {[RSP] = STACK, [RBP] = 1}};
	struct orc_row row = {ORC_CALL, false, REG_SP, REG_PREV_SP, 24, -16};
	uint64_t known = UINT64_MAX, bad = 0;

	stack[1] = 0xb;
	stack[2] = 0xc0de;
	CHECK(orc_step(&row, &r, &known, read_word, NULL, &bad) == ORC_STEPPED);
	CHECK(r.r[RIP] == 0xc0de && r.r[RSP] == STACK + 24 && r.r[RBP] == 0xb);
	/* What a call clobbers is not known any more, */
	row.sp_reg = REG_R10;
	CHECK(orc_step(&row, &r, &known, read_word, NULL, &bad) == ORC_LOST);
	/* until the registers are found that an interrupt has saved. */
	for (uint64_t i = 3; i < 24; i++)
		stack[i] = i << 8;
	stack[3 + 17] = 0x10;
	stack[3 + 19] = STACK + 200;
	row = (struct orc_row){ORC_REGS, true, REG_SP, 0, 0, 0};
	CHECK(
	    orc_step(&row, &r, &known, read_word, NULL, &bad) == ORC_SWITCHED);
	CHECK(r.r[R10] == 10 << 8 && r.r[RBP] == 7 << 8);
	CHECK(r.r[RIP] == 19 << 8 && r.r[RSP] == STACK + 200);
	CHECK(r.mode == UNWIND_MODE_KERNEL && known == UINT64_MAX);
	/* Those of the processor only: where the others are is not known. */
	stack[25] = 0xfee1;
	stack[26] = 0x33;
	stack[28] = 0x7ffc;
	row = (struct orc_row){ORC_PARTIAL, true, REG_SP, 0, 0, 0};
	CHECK(
	    orc_step(&row, &r, &known, read_word, NULL, &bad) == ORC_SWITCHED);
	CHECK(r.r[RIP] == 0xfee1 && r.r[RSP] == 0x7ffc);
	CHECK(r.mode == UNWIND_MODE_USER && (known >> R10 & 1) == 0);
	/* From one stack to the other, by a word at the first one's top. */
	r.r[RSP] = STACK + 8;
	stack[1] = STACK + 16;
	row = (struct orc_row){ORC_CALL, false, REG_SP_INDIRECT, 0, 8, 0};
	CHECK(
	    orc_step(&row, &r, &known, read_word, NULL, &bad) == ORC_SWITCHED);
	CHECK(r.r[RSP] == STACK + 24 && r.r[RIP] == 0xc0de);
	/* No memory, no such register, no such type. */
	r.r[RSP] = 0x4000;
	CHECK(orc_step(&row, &r, &known, read_word, NULL, &bad) == ORC_MEMORY);
	CHECK(bad == 0x4000);
	row.sp_reg = 15;
	CHECK(orc_step(&row, &r, &known, read_word, NULL, &bad) == ORC_BAD);
}

int
main(void)
{
	test_layouts();
	test_steps();
	return unit_end();
}
