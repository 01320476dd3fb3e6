/* SPDX-License-Identifier: ISC */
#include "unwind/saved.h"

#include "unit.h"

enum { STACK = 0x4000 };

/*
 * sub sp, sp, #0x120; stp x0, x1, [sp]; str x28, [sp, #0x40];
 * mrs x22, elr_el1; mrs x23, spsr_el1; add x21, sp, #0x120;
 * stp x30, x21, [sp, #0x60]; stp x22, x23, [sp, #0x70];
 * str x22, [sp, #0x100]; bl
 */
static const uint8_t arm[] = {0xff, 0x83, 0x04, 0xd1, 0xe0, 0x07, 0x00, 0xa9,
    0xfc, 0x23, 0x00, 0xf9, 0x36, 0x40, 0x38, 0xd5, 0x17, 0x40, 0x38, 0xd5,
    0xf5, 0x83, 0x04, 0x91, 0xfe, 0x57, 0x06, 0xa9, 0xf6, 0x5f, 0x07, 0xa9,
    0xf6, 0x83, 0x00, 0xf9, 0xf7, 0xff, 0xff, 0x97};

/*
 * csrrw tp, sscratch, tp; sd sp, 24(tp); c.addi16sp -288; c.sdsp ra, 8;
 * c.sdsp s2, 144; c.sdsp t0, 40; ld s0, 24(tp); csrr s1, sstatus;
 * csrr s2, sepc; c.sdsp s0, 16; c.sdsp s1, 256; c.sdsp s2, 0; jal ra
 */
static const uint8_t riscv[] = {0x73, 0x12, 0x02, 0x14, 0x23, 0x3c, 0x22, 0x00,
    0x2d, 0x71, 0x06, 0xe4, 0x4a, 0xe9, 0x16, 0xf4, 0x03, 0x34, 0x82, 0x01,
    0xf3, 0x24, 0x00, 0x10, 0x73, 0x29, 0x10, 0x14, 0x22, 0xe8, 0x26, 0xe2,
    0x4a, 0xe0, 0xef, 0xf0, 0xff, 0xfd};

/* Each word of the stack is its own address; but the status says kernel. */
static int
read_word(void *arg, uint64_t addr, uint64_t *word)
{
	*word = addr == STACK + *(uint64_t *)arg ? 0x105 : addr;
	return addr >= STACK && addr < STACK + 0x1000 ? 0 : -1;
}

static void
test_aarch64(void)
{
	struct unwind_regs r = {.r = {[31] = STACK}};
	uint64_t known, bad, status = 0x78;
	struct saved s;

	saved_scan(UNWIND_AARCH64, arm, sizeof arm, sizeof arm, &s);
	CHECK(s.entry && s.exception && !s.leaves && !s.switched);
	CHECK(s.at[0] == 0 && s.at[1] == 8 && s.at[28] == 0x40);
	CHECK(s.at[30] == 0x60 && s.at[31] == 0x68 && s.at[32] == 0x100);
	CHECK(s.status == 0x78 && s.at[22] == -1);
	CHECK(saved_restore(UNWIND_AARCH64, &s, false, &r, &known, read_word,
		  &status, &bad) == 0);
	CHECK(r.r[32] == STACK + 0x100 && r.r[31] == STACK + 0x68);
	CHECK(r.mode == UNWIND_MODE_KERNEL);
	CHECK(known == (1ULL << 0 | 1 << 1 | 1 << 28 | 1 << 30 | 1ULL << 31 |
			   1ULL << 32));
	/* From a stack that is not there. */
	r.r[31] = 8;
	CHECK(saved_restore(UNWIND_AARCH64, &s, false, &r, &known, read_word,
		  &status, &bad) == -1);
	CHECK(bad == 8);
}

/* A CPU at the first instruction, and after the second. */
static void
test_now(void)
{
	struct unwind_regs r = {.r = {[31] = STACK, [29] = 0x29},
	    .has_exception = true,
	    .exception_pc = 0xc0de,
	    .exception_status = 0};
	uint64_t known, bad, status = 0;
	struct saved s;

	saved_scan(UNWIND_AARCH64, arm, 0, sizeof arm, &s);
	CHECK(!s.entry && s.exception);
	s.below = -1; /* another part of the vector has moved sp */
	CHECK(saved_restore(UNWIND_AARCH64, &s, true, &r, &known, read_word,
		  &status, &bad) == 0);
	CHECK(r.r[32] == 0xc0de && r.mode == UNWIND_MODE_USER);
	CHECK(r.r[31] == STACK && r.r[29] == 0x29 && (known >> 29 & 1) != 0);
	r.has_exception = true;
	saved_scan(UNWIND_AARCH64, arm, 8, sizeof arm, &s);
	CHECK(saved_restore(UNWIND_AARCH64, &s, true, &r, &known, read_word,
		  &status, &bad) == 0);
	CHECK(r.r[31] == STACK + 0x120 && r.r[1] == STACK + 8);
}

static void
test_riscv(void)
{
	struct unwind_regs r = {.r = {[2] = STACK}};
	uint64_t known, bad, status = 256;
	struct saved s;

	saved_scan(UNWIND_RISCV64, riscv, sizeof riscv, sizeof riscv, &s);
	CHECK(s.entry && s.exception && !s.leaves);
	CHECK(s.at[1] == 8 && s.at[2] == 16 && s.at[5] == 40);
	CHECK(s.at[18] == 144 && s.at[32] == 0 && s.status == 256);
	CHECK(s.at[8] == -1 && s.at[9] == -1);
	CHECK(saved_restore(UNWIND_RISCV64, &s, false, &r, &known, read_word,
		  &status, &bad) == 0);
	CHECK(r.r[32] == STACK && r.r[2] == STACK + 16);
	CHECK(r.mode == UNWIND_MODE_KERNEL);
	/* Without the instruction that reads the counter it is a function. */
	saved_scan(UNWIND_RISCV64, riscv, 0x18, 0x18, &s);
	CHECK(!s.entry && !s.exception);
}

/* mov sp, x16; msr elr_el1, x1; add sp, t0, t1; csrw sepc, a0 */
static void
test_others(void)
{
	static const uint8_t a[] = {
	    0x1f, 0x02, 0x00, 0x91, 0x21, 0x40, 0x18, 0xd5, 0xe0};
	static const uint8_t v[] = {
	    0x33, 0x81, 0x62, 0x00, 0x73, 0x10, 0x15, 0x14, 0x01};
	struct saved s;

	saved_scan(UNWIND_AARCH64, a, sizeof a, sizeof a, &s);
	CHECK(s.switched && s.leaves && !s.entry);
	saved_scan(UNWIND_RISCV64, v, sizeof v, sizeof v, &s);
	CHECK(s.switched && s.leaves && !s.entry);
	saved_scan(UNWIND_RISCV64, v, 0, 0, &s);
	CHECK(!s.switched && !s.leaves);
}

/*
 * ldp x21, x22, [sp, #256]; ldr x23, [sp, #248]; msr sp_el0, x23;
 * msr elr_el1, x21; msr spsr_el1, x22; ldp x21, x22, [sp, #168];
 * ldr x30, [sp, #240]; add sp, sp, #0x150; eret
 */
static const uint8_t arm_end[] = {0xf5, 0x5b, 0x50, 0xa9, 0xf7, 0x7f, 0x40,
    0xf9, 0x17, 0x41, 0x18, 0xd5, 0x35, 0x40, 0x18, 0xd5, 0x16, 0x40, 0x18,
    0xd5, 0xf5, 0xdb, 0x4a, 0xa9, 0xfe, 0x7b, 0x40, 0xf9, 0xff, 0x43, 0x05,
    0x91, 0xe0, 0x03, 0x9f, 0xd6};

/*
 * ld a0, 256(sp); ld a2, 0(sp); csrw sstatus, a0; csrw sepc, a2; c.ldsp ra, 8;
 * c.ldsp a0, 80; ld sp, 16(sp); sret
 */
static const uint8_t riscv_end[] = {0x03, 0x35, 0x01, 0x10, 0x03, 0x36, 0x01,
    0x00, 0x73, 0x10, 0x05, 0x10, 0x73, 0x10, 0x16, 0x14, 0xa2, 0x60, 0x46,
    0x65, 0x03, 0x31, 0x01, 0x01, 0x73, 0x00, 0x20, 0x10};

static void
test_leaving(void)
{
	struct unwind_regs r = {.r = {[31] = STACK, [29] = 0x29},
	    .has_exception = true,
	    .exception_pc = 0xc0de};
	uint64_t known, bad, status = 264;
	struct saved s;

	CHECK(saved_leaving(UNWIND_AARCH64, arm_end, sizeof arm_end, &s));
	CHECK(s.at[32] == 256 && s.status == 264 && s.at[31] == 248);
	CHECK(s.at[21] == 168 && s.at[22] == 176 && s.at[29] == -1);
	CHECK(saved_restore(UNWIND_AARCH64, &s, true, &r, &known, read_word,
		  &status, &bad) == 0);
	CHECK(r.r[32] == STACK + 256 && r.mode == UNWIND_MODE_KERNEL);
	CHECK(r.r[31] == STACK + 248 && r.r[29] == 0x29);
	/* In registers that were loaded before; in the processor already. */
	CHECK(saved_leaving(
	    UNWIND_AARCH64, arm_end + 12, sizeof arm_end - 12, &s));
	CHECK(s.at[32] == -1 && s.pc_in == 21 && s.status_in == 22);
	CHECK(saved_leaving(
	    UNWIND_AARCH64, arm_end + 20, sizeof arm_end - 20, &s));
	CHECK(s.at[32] == -1 && s.status == -1 && s.below == 0x150);
	r.r[31] = STACK;
	CHECK(saved_restore(UNWIND_AARCH64, &s, true, &r, &known, read_word,
		  &status, &bad) == 0);
	CHECK(r.r[32] == 0xc0de && r.mode == UNWIND_MODE_USER);
	CHECK(!saved_leaving(UNWIND_AARCH64, arm_end, 32, &s));
	CHECK(saved_leaving(UNWIND_RISCV64, riscv_end, sizeof riscv_end, &s));
	CHECK(s.at[32] == 0 && s.status == 256 && s.at[1] == 8);
	CHECK(s.at[10] == 80 && s.at[2] == 16 && (s.own >> 8 & 1) == 1);
	for (size_t n = 0; n < sizeof riscv_end; n++)
		CHECK(!saved_leaving(UNWIND_RISCV64, riscv_end, n, &s));
}

int
main(void)
{
	test_aarch64();
	test_now();
	test_riscv();
	test_others();
	test_leaving();
	return unit_end();
}
