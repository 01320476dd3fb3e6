/* SPDX-License-Identifier: ISC */
/* A hart in its firmware, and the page tables of what that has interrupted. */
#include "native/firmware.h"

#include "unit.h"

enum { ROOM = 0x8000 };

/* Physical memory from address 0 on. */
static uint8_t memory[ROOM];

static int
read_memory(void *arg, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n)
{
	(void)arg, (void)c;
	if (addr >= ROOM || n > ROOM - addr)
		return -1;
	memcpy(to, memory + addr, n);
	return 0;
}

static void
put(uint64_t addr, uint64_t word)
{
	for (int i = 0; i < 8; i++)
		memory[addr + (uint64_t)i] = (uint8_t)(word >> 8 * i);
}

enum { ENTRY = 0x1000, SCRATCH = 0x4000, SAVED = SCRATCH - 280 };

/* The beginning of OpenSBI's entry, and its call. */
static const uint32_t entry_code[] = {0x34021273, 0x04523423, 0x300022f3,
    0xee828113, 0x04823283, 0x34021273, 0x341022f3, 0x10513023, 0x000030ef};

static struct vcpu
hart(uint64_t pc)
{
	struct vcpu c = {.ok = true};

	memset(memory, 0, sizeof memory);
	for (size_t i = 0; i < sizeof entry_code; i++)
		memory[ENTRY + i] = (uint8_t)(entry_code[i / 4] >> 8 * (i & 3));
	for (int i = 1; i < 32; i++)
		put(SAVED + 8 * (uint64_t)i, 100 + (uint64_t)i);
	put(SAVED + 8 * 32, 0xc0de);
	put(SAVED + 8 * 33, 0x800);
	vcpu_machine(&c, MACHINE_EPC, 0xc0de);
	vcpu_machine(&c, MACHINE_STATUS, 0xa00000800);
	vcpu_machine(&c, MACHINE_SCRATCH, SCRATCH);
	vcpu_machine(&c, MACHINE_TVEC, ENTRY | 1);
	vcpu_machine(&c, MACHINE_ATP, 0);
	c.regs.mode = UNWIND_MODE_FIRMWARE;
	c.regs.r[32] = pc;
	c.regs.r[2] = SAVED;
	c.regs.r[8] = 8;
	return c;
}

static bool
leave(struct vcpu *c)
{
	return firmware_leave(c, read_memory, NULL);
}

static void
test_leave(void)
{
	struct vcpu c = hart(0x2000);

	CHECK(leave(&c) && c.firmware == 0x2000);
	CHECK(c.regs.r[32] == 0xc0de && c.regs.r[2] == 102);
	CHECK(c.regs.r[8] == 108 && c.regs.mode == UNWIND_MODE_KERNEL);
	/* The call is done: it will return to the next instruction. */
	c = hart(0x2000);
	put(SAVED + 8 * 32, 0xc0e2);
	CHECK(leave(&c) && c.regs.r[32] == 0xc0e2);
	/* A process was interrupted. */
	c = hart(0x2000);
	c.machine[MACHINE_STATUS] = 0;
	put(SAVED + 8 * 33, 0);
	CHECK(leave(&c) && c.regs.mode == UNWIND_MODE_USER);
}

/* In the entry what is saved is of another time. */
static void
test_entry(void)
{
	struct vcpu c = hart(ENTRY);

	c.regs.r[2] = 0x7000;
	CHECK(leave(&c) && c.firmware == ENTRY && c.regs.r[32] == 0xc0de);
	CHECK(c.regs.r[2] == 0x7000 && c.regs.r[8] == 8);
	c = hart(ENTRY + 24);
	CHECK(leave(&c) && c.regs.r[2] == 102 && c.regs.r[8] == 8);
	/* At the call itself; after it. */
	c = hart(ENTRY + 32);
	CHECK(leave(&c) && c.regs.r[8] == 8);
	c = hart(ENTRY + 36);
	CHECK(leave(&c) && c.regs.r[8] == 108);
	/* Another firmware's entry begins with the stack pointer. */
	c = hart(ENTRY + 36);
	memory[ENTRY] = 0x73, memory[ENTRY + 1] = 0x11;
	CHECK(!leave(&c) && c.firmware == 0 && c.regs.r[32] == ENTRY + 36);
}

static void
test_unknown(void)
{
	struct vcpu c = hart(0x2000);

	c.machine_seen &= ~1u;
	CHECK(!leave(&c));
	c = hart(0x2000);
	c.machine[MACHINE_STATUS] = 0x1800; /* itself */
	CHECK(!leave(&c));
	c = hart(0x2000);
	c.machine[MACHINE_EPC] = 0xc0d0;
	CHECK(!leave(&c));
	c = hart(0x2000);
	put(SAVED, 1);
	CHECK(!leave(&c));
	c = hart(0x2000);
	put(SAVED + 8 * 33, 0);
	CHECK(!leave(&c));
	for (uint64_t top = 0; top < 3 * ROOM; top += 997) {
		c = hart(0x2000);
		c.machine[MACHINE_SCRATCH] = top;
		CHECK(!leave(&c));
	}
}

static uint64_t
place(struct vcpu *c, uint64_t addr)
{
	uint64_t at;

	c->page = UINT64_MAX;
	return firmware_place(c, addr, &at, read_memory, NULL) == 0
		   ? at
		   : UINT64_MAX;
}

/* A table's entry of a page, or of the next table. */
static uint64_t
leaf(uint64_t at)
{
	return at >> 12 << 10 | 0xf;
}

static uint64_t
table(uint64_t at)
{
	return at >> 12 << 10 | 1;
}

static void
test_place(void)
{
	struct vcpu c = hart(0);
	const uint64_t top = UINT64_C(511) << 30 | UINT64_MAX << 39;

	CHECK(place(&c, 0x1234) == 0x1234);
	c.machine[MACHINE_ATP] = UINT64_C(8) << 60 | 1;
	CHECK(place(&c, top) == UINT64_MAX);
	put(0x1000 + 8 * 511, table(0x2000));
	put(0x2000 + 8 * 3, table(0x3000));
	put(0x3000 + 8 * 5, leaf(0x87654000));
	CHECK(place(&c, top | 3 << 21 | 5 << 12 | 0xabc) == 0x87654abc);
	put(0x2000 + 8 * 4, leaf(0x87600000));
	CHECK(place(&c, top | 4 << 21 | 0x12345) == 0x87612345);
	/* Sixteen pages as one. */
	put(0x3000 + 8 * 6, leaf(0x87658000) | UINT64_C(1) << 63);
	CHECK(place(&c, top | 3 << 21 | 6 << 12 | 8) == 0x87656008);
	/* A table that is its own last level; one that is nowhere. */
	put(0x3000 + 8 * 7, table(0x3000));
	CHECK(place(&c, top | 3 << 21 | 7 << 12) == UINT64_MAX);
	put(0x1000 + 8 * 510, table(0xfffffff000));
	CHECK(place(&c, top - (UINT64_C(1) << 30)) == UINT64_MAX);
	c.machine[MACHINE_ATP] = UINT64_C(9) << 60 | 4;
	put(0x4000 + 8 * 511, table(0x1000));
	CHECK(place(&c, top | UINT64_MAX << 48 | UINT64_C(511) << 39 | 3 << 21 |
			    5 << 12) == 0x87654000);
	c.machine[MACHINE_ATP] = UINT64_C(7) << 60;
	CHECK(place(&c, top) == UINT64_MAX);
}

int
main(void)
{
	test_leave();
	test_entry();
	test_unknown();
	test_place();
	return unit_end();
}
