/* SPDX-License-Identifier: ISC */
/* A hart in its firmware, and what that has interrupted. */
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

	CHECK(leave(&c) && c.firmware.at == 0x2000);
	CHECK(c.regs.r[32] == 0xc0de && c.regs.r[2] == 102);
	CHECK(c.regs.r[8] == 108 && c.regs.mode == UNWIND_MODE_KERNEL);
	/* The call is done: it will return to the next instruction. */
	c = hart(0x2000);
	put(SAVED + 8 * 32, 0xc0e2);
	CHECK(leave(&c) && c.regs.r[32] == 0xc0e2);
	/* A process was interrupted. */
	c = hart(0x2000);
	c.firmware.reg[MACHINE_STATUS] = 0;
	put(SAVED + 8 * 33, 0);
	CHECK(leave(&c) && c.regs.mode == UNWIND_MODE_USER);
}

/* In the entry what is saved is of another time. */
static void
test_entry(void)
{
	struct vcpu c = hart(ENTRY);

	c.regs.r[2] = 0x7000;
	CHECK(leave(&c) && c.firmware.at == ENTRY && c.regs.r[32] == 0xc0de);
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
	CHECK(!leave(&c) && c.firmware.at == 0 && c.regs.r[32] == ENTRY + 36);
}

static void
test_unknown(void)
{
	struct vcpu c = hart(0x2000);

	c.firmware.seen &= ~1u;
	CHECK(!leave(&c));
	c = hart(0x2000);
	c.firmware.reg[MACHINE_STATUS] = 0x1800; /* itself */
	CHECK(!leave(&c));
	c = hart(0x2000);
	c.firmware.reg[MACHINE_EPC] = 0xc0d0;
	CHECK(!leave(&c));
	c = hart(0x2000);
	put(SAVED, 1);
	CHECK(!leave(&c));
	c = hart(0x2000);
	put(SAVED + 8 * 33, 0);
	CHECK(!leave(&c));
	for (uint64_t top = 0; top < 3 * ROOM; top += 997) {
		c = hart(0x2000);
		c.firmware.reg[MACHINE_SCRATCH] = top;
		CHECK(!leave(&c));
	}
}

int
main(void)
{
	test_leave();
	test_entry();
	test_unknown();
	return unit_end();
}
