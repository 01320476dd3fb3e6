/* SPDX-License-Identifier: ISC */
/* The tables of each processor, as its manual has them, in a little memory. */
#include "memory/pages.h"

#include "unit.h"

enum { ROOM = 0x40000 };

static uint8_t memory[ROOM];

static int
read_memory(void *arg, uint64_t at, void *to, size_t n)
{
	(void)arg;
	if (at >= ROOM || n > ROOM - at)
		return -1;
	memcpy(to, memory + at, n);
	return 0;
}

static void
put(uint64_t at, uint64_t entry, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		memory[at + i] = (uint8_t)(entry >> 8 * i);
}

/* Whether an address is at that place; UINT64_MAX: nowhere. */
static bool
is_at(
    enum unwind_arch arch, const struct paging *p, uint64_t addr, uint64_t want)
{
	uint64_t at;
	const enum pages result =
	    pages_place(arch, p, addr, read_memory, NULL, &at);

	return want == UINT64_MAX ? result == PAGES_UNMAPPED
				  : result == PAGES_FOUND && at == want;
}

static struct paging
paging(uint64_t on, uint64_t low, uint64_t high, uint64_t form, uint64_t status)
{
	const uint64_t v[] = {on, low, high, form, 0, status};
	struct paging p = {{0}, 0};

	for (int i = 0; i < PAGING_REGS; i++)
		if (i != PAGING_OUTER)
			paging_set(&p, (enum paging_reg)i, v[i]);
	memset(memory, 0, sizeof memory);
	return p;
}

#define NOWHERE UINT64_MAX
#define PG (UINT64_C(1) << 31)

static void
test_x86_64(void)
{
	const enum unwind_arch a = UNWIND_X86_64;
	struct paging p = paging(PG | 1, 0x1018, 0x20, 0xd01, 0x10);

	put(0x1000 + 8 * 511, 0x2063, 8);
	put(0x2000 + 8 * 510, 0x3063, 8);
	put(0x2000 + 8 * 511, (UINT64_C(1) << 63) | 0x40000083, 8);
	put(0x3000, 0x4063, 8);
	put(0x3000 + 8, 0x200083, 8);
	put(0x4000 + 8 * 5, 0x123456063, 8);
	put(0x4000 + 8 * 6, 0x123456062, 8);
	CHECK(is_at(a, &p, 0xffffffff80005123, 0x123456123));
	CHECK(is_at(a, &p, 0xffffffff80006123, NOWHERE));
	CHECK(is_at(a, &p, 0xffffffff80212345, 0x212345));
	CHECK(is_at(a, &p, 0xffffffffc1234567, 0x41234567));
	CHECK(is_at(a, &p, 0x7fff80005123, NOWHERE));
	CHECK(is_at(a, &p, 0x1234ffff80005123, NOWHERE)); /* not extended */
	put(0x2000 + 8 * 509, 0x90000063, 8); /* a table that is no memory */
	CHECK(is_at(a, &p, 0xffffffff40005123, NOWHERE));

	/* five levels */
	p = paging(PG | 1, 0x5000, 0x1020, 0xd01, 0x10);
	put(0x5000 + 8 * 256, 0x1063, 8);
	put(0x1000, 0x2063, 8);
	put(0x2000, 0x80000083, 8);
	CHECK(is_at(a, &p, 0xff00000000000042, 0x80000042));
	CHECK(is_at(a, &p, 0xfe00000000000042, NOWHERE));

	p = paging(0, 0, 0, 0, 0);
	CHECK(is_at(a, &p, 0xffff0, 0xffff0));
	p.seen &= ~(1u << PAGING_LOW);
	CHECK(pages_place(a, &p, 0, read_memory, NULL, &p.reg[0]) ==
	      PAGES_UNKNOWN);
}

static void
test_i386(void)
{
	const enum unwind_arch a = UNWIND_I386;
	struct paging p = paging(PG | 1, 0x1000, 0x10, 0, 0);

	put(0x1000 + 4 * 768, 0x2063, 4);
	put(0x1000 + 4 * 769, 0x004020e3, 4); /* bit 32 of its address is 1 */
	put(0x2000 + 4, 0x7063, 4);
	CHECK(is_at(a, &p, 0xc0001abc, 0x7abc));
	CHECK(is_at(a, &p, 0xffffffffc0001abc, 0x7abc));
	CHECK(is_at(a, &p, 0xc0000abc, NOWHERE));
	CHECK(is_at(a, &p, 0xc0412345, 0x100412345));

	p = paging(PG | 1, 0x1020, 0x30, 0, 0); /* PAE */
	put(0x1020 + 8 * 3, 0x2001, 8);
	put(0x2000, 0x3063, 8);
	put(0x2000 + 8, 0x2000000e3, 8);
	put(0x3000 + 8 * 2, 0x300005063, 8);
	CHECK(is_at(a, &p, 0xc0002010, 0x300005010));
	CHECK(is_at(a, &p, 0xc0312345, 0x200112345));
	CHECK(is_at(a, &p, 0x40002010, NOWHERE));
}

static void
test_riscv(void)
{
	struct paging p = paging(0, UINT64_C(8) << 60 | 1, 0, 0, 0);
	const enum unwind_arch a = UNWIND_RISCV64;

	put(0x1000 + 8 * 510, 0x2000 >> 2 | 1, 8);
	put(0x1000 + 8 * 2, 0x80000000 >> 2 | 0xf, 8);
	put(0x2000, 0x3000 >> 2 | 1, 8);
	put(0x2000 + 8, 0x80200000 >> 2 | 0xf, 8);
	put(0x2000 + 16, 0x80201000 >> 2 | 0xf, 8); /* not where it may be */
	put(0x3000 + 8 * 3, 0x87654000 >> 2 | 7, 8);
	put(0x3000 + 8 * 19, UINT64_C(1) << 63 | 0x87658000 >> 2 | 7, 8);
	put(0x3000 + 8 * 4, 0x87654000 >> 2 | 5, 8); /* written, not read */
	CHECK(is_at(a, &p, 0xffffffff80003456, 0x87654456));
	CHECK(is_at(a, &p, 0xffffffff80013456, 0x87653456));
	CHECK(is_at(a, &p, 0xffffffff80004456, NOWHERE));
	CHECK(is_at(a, &p, 0xffffffff80212345, 0x80212345));
	CHECK(is_at(a, &p, 0xffffffff80412345, NOWHERE));
	CHECK(is_at(a, &p, 0x80012345, 0x80012345));
	CHECK(is_at(a, &p, 0x7fffff80003456, NOWHERE));
	p.reg[PAGING_LOW] = UINT64_C(9) << 60 | 5;
	put(0x5000, 0x1000 >> 2 | 1, 8);
	CHECK(is_at(a, &p, 0x80012345, 0x80012345));
	p.reg[PAGING_LOW] = UINT64_C(10) << 60 | 6;
	put(0x6000, 0x5000 >> 2 | 1, 8);
	CHECK(is_at(a, &p, 0x80012345, 0x80012345));
	p.reg[PAGING_LOW] = 0;
	CHECK(is_at(a, &p, 0x80012345, 0x80012345));
	/* a hypervisor's guest has tables below these */
	paging_set(&p, PAGING_OUTER, 1);
	CHECK(!is_at(a, &p, 0x80012345, 0x80012345));

	p = paging(0, PG | 1, 0, 0, 0);
	put(0x1000 + 4 * 768, 0x2000 >> 2 | 1, 4);
	put(0x1000 + 4 * 769, 0x80400000 >> 2 | 0xf, 4);
	put(0x2000 + 4 * 7, 0x87654000 >> 2 | 7, 4);
	CHECK(is_at(UNWIND_RISCV32, &p, 0xc0007456, 0x87654456));
	CHECK(is_at(UNWIND_RISCV32, &p, 0xc0412345, 0x80412345));
}

/* TCR_EL1: 48 bits in both halves, and the granules' numbers. */
static uint64_t
tcr(unsigned low, unsigned high)
{
	return 16 | 16 << 16 | low << 14 | (uint64_t)high << 30 |
	       UINT64_C(5) << 32;
}

static void
test_aarch64(void)
{
	const enum unwind_arch a = UNWIND_AARCH64;
	struct paging p = paging(1, 0x5000, 0x1000, tcr(0, 2), 5);

	put(0x1000, 0x2003, 8);
	put(0x2000 + 8, 0x3003, 8);
	put(0x2000 + 16, 0x40000701, 8);
	put(0x3000 + 8, 0x80200701, 8);
	put(0x3000, 0x4003, 8);
	put(0x4000 + 8 * 3, 0x0068000087654703, 8);
	put(0x4000 + 8 * 4, 0x0068000087654701, 8); /* no block there */
	CHECK(is_at(a, &p, 0xffff000040003456, 0x87654456));
	CHECK(is_at(a, &p, 0xffff000040004456, NOWHERE));
	CHECK(is_at(a, &p, 0xffff000040212345, 0x80212345));
	CHECK(is_at(a, &p, 0xffff000081234567, 0x41234567));
	CHECK(is_at(a, &p, 0xfffe000081234567, NOWHERE));
	CHECK(is_at(a, &p, 0x40003456, NOWHERE));
	put(0x5000, 0x2003, 8);
	CHECK(is_at(a, &p, 0x40003456, 0x87654456));
	CHECK(is_at(a, &p, 0xab00000040003456, NOWHERE));
	p.reg[PAGING_FORM] |= UINT64_C(1) << 37; /* the highest byte is free */
	CHECK(is_at(a, &p, 0xab00000040003456, 0x87654456));
	p.reg[PAGING_FORM] |= 1 << 23;
	CHECK(is_at(a, &p, 0xffff000040003456, NOWHERE));
	p.reg[PAGING_STATUS] = 9; /* a hypervisor's level */
	CHECK(!is_at(a, &p, 0x40003456, 0x87654456));

	/* 64 kB, 52 bits of both kinds of addresses */
	p = paging(1, 0, 0x10000, UINT64_C(6) << 32 | 0xc00c4010, 5);
	put(0x10000 + 8, 0x20003, 8);
	put(0x20000, 0x30003, 8);
	put(0x20000 + 8, 0x2000a701, 8);
	put(0x30000 + 8, 0x0068000087655703, 8);
	CHECK(is_at(a, &p, 0xfff0040000012345, 0x5000087652345));
	CHECK(is_at(a, &p, 0xfff0040020012345, 0xa000020012345));

	/* 16 kB, 47 bits */
	p = paging(1, 0, 0x8000, tcr(2, 1) + (1 << 16), 5);
	put(0x8000, 0xc003, 8);
	put(0xc000, 0x10003, 8);
	put(0xc000 + 8, 0x82000701, 8);
	put(0x10000 + 8 * 2, 0x87654703, 8);
	CHECK(is_at(a, &p, 0xffff80000000a345, 0x87656345));
	CHECK(is_at(a, &p, 0xffff800002012345, 0x82012345));
	p.reg[PAGING_ON] = 0;
	CHECK(is_at(a, &p, 0x40012345, 0x40012345));
}

static void
test_arm(void)
{
	const enum unwind_arch a = UNWIND_ARM;
	struct paging p = paging(1, 0x4000406a, 0, 0, 0x13);

	p.reg[PAGING_LOW] = 0x406a;
	put(0x4000 + 4 * 0xc00, 0x8001, 4);
	put(0x4000 + 4 * 0xc01, 0x80111c0e, 4);
	put(0x4000 + 4 * 0xc10, 0x8b040002, 4);
	put(0x8000 + 4 * 5, 0x87654453, 4);
	put(0x8000 + 4 * 0x10, 0x87650001, 4);
	CHECK(is_at(a, &p, 0xc0005123, 0x87654123));
	CHECK(is_at(a, &p, 0xc0010123, 0x87650123));
	CHECK(is_at(a, &p, 0xc0006123, NOWHERE));
	CHECK(is_at(a, &p, 0xc0112345, 0x80112345));
	CHECK(is_at(a, &p, 0xc1012345, 0x8b012345));
	CHECK(is_at(a, &p, 0x40005123, NOWHERE));
	p.reg[PAGING_STATUS] = 0x1a; /* a hypervisor's mode */
	CHECK(!is_at(a, &p, 0xc0005123, 0x87654123));

	/* TTBCR.N: the lower half has a table of its own */
	p = paging(1, 0xa000, 0x4000, 1, 0x10);
	put(0xa000 + 4, 0x8010000e, 4);
	put(0x4000 + 4 * 0x801, 0x9010000e, 4);
	CHECK(is_at(a, &p, 0x00112345, 0x80112345));
	CHECK(is_at(a, &p, 0x80112345, 0x90112345));

	/* long descriptors, with all in one table, and with two */
	p = paging(1, 0x1000, 0, PG, 0x13);
	put(0x1000 + 8 * 3, 0x2003, 8);
	put(0x1000 + 8 * 1, 0x140000701, 8);
	put(0x2000, 0x3003, 8);
	put(0x2000 + 8, 0x80200701, 8);
	put(0x3000 + 8 * 3, 0x87654703, 8);
	CHECK(is_at(a, &p, 0xc0003456, 0x87654456));
	CHECK(is_at(a, &p, 0xc0212345, 0x80212345));
	CHECK(is_at(a, &p, 0x41234567, 0x141234567));
	p = paging(1, 0, 0x2000, PG | 2 << 16, 0x13);
	put(0x2000, 0x3003, 8);
	put(0x3000 + 8 * 3, 0x87654703, 8);
	CHECK(is_at(a, &p, 0xc0003456, 0x87654456));
	CHECK(is_at(a, &p, 0x40003456, NOWHERE));
}

int
main(void)
{
	test_x86_64();
	test_i386();
	test_riscv();
	test_aarch64();
	test_arm();
	return unit_end();
}
