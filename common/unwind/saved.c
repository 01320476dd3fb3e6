/* SPDX-License-Identifier: ISC */
/*
 * Knows the instructions that entries are made of: stores to the stack, and
 * those that read what the processor has saved in its own registers. The code
 * is read as if no branch in it were taken.
 */
#include "unwind/saved.h"

#include <string.h>

#include "unwind/insn.h"

enum { SLOTS = 64, RV_TP = 4 };

/* What a register holds: below 33, what that one held at the beginning. */
enum { V_PC = 40, V_STATUS, V_OTHER };

struct scan {
	struct saved *s;
	uint8_t value[UNWIND_REGS];
	/* riscv64: memory at the thread pointer, in words. */
	uint8_t slot[SLOTS];
	int pc;
};

/* The stack pointer moves down by n: what was saved is further above. */
static void
move(struct scan *c, int32_t n)
{
	for (int i = 0; i < UNWIND_REGS; i++)
		if (c->s->at[i] >= 0)
			c->s->at[i] += n;
	if (c->s->status >= 0)
		c->s->status += n;
	c->s->moved += n;
}

/* The first place counts: later the register may hold something else. */
static void
store(struct scan *c, unsigned reg, int32_t off)
{
	uint8_t v = c->value[reg];
	struct saved *s = c->s;

	if (off < 0)
		return;
	if (v == V_PC) {
		s->at[c->pc] = off;
		s->entry = true;
	} else if (v == V_STATUS) {
		s->status = off;
	} else if (v < UNWIND_REGS && s->at[v] < 0) {
		s->at[v] = off;
	}
}

static void
aarch64(struct scan *c, uint32_t w)
{
	unsigned d = w & 31, n = w >> 5 & 31;
	int32_t pair = insn_sign(w >> 15 & 127, 7) * 8;
	int32_t imm = (int32_t)(w >> 10 & 0xfff) << (w >> 22 & 1 ? 12 : 0);

	if ((w & 0xffc003e0) == 0xa98003e0) { /* stp d, e, [sp, #pair]! */
		move(c, -pair);
		store(c, d, 0);
		store(c, w >> 10 & 31, 8);
	} else if ((w & 0xffc003e0) == 0xa90003e0) { /* stp d, e, [sp, #pair] */
		store(c, d, pair);
		store(c, w >> 10 & 31, pair + 8);
	} else if ((w & 0xffc003e0) == 0xf90003e0) { /* str d, [sp, #imm] */
		store(c, d, 8 * (int32_t)(w >> 10 & 0xfff));
	} else if ((w & 0xff8003ff) == 0xd10003ff) { /* sub sp, sp, #imm */
		move(c, imm);
	} else if ((w & 0xbfe0001f) == 0x8b20001f) { /* add/sub sp, n, m */
		c->s->switched = true;
	} else if ((w & 0xff80001f) == 0x9100001f) { /* add sp, n, #imm */
		if (n != A64_SP && n != 29)
			c->s->switched = true;
	} else if ((w & 0xff8003e0) == 0x910003e0) { /* add d, sp, #imm */
		c->value[d] = imm > 0 ? A64_SP : V_OTHER;
		if (c->s->below < 0)
			c->s->below = imm;
	} else if ((w & 0xffffffe0) == 0xd5384020) { /* mrs d, elr_el1 */
		c->value[d] = V_PC;
	} else if ((w & 0xffffffe0) == 0xd5384000) { /* mrs d, spsr_el1 */
		c->value[d] = V_STATUS;
	} else if ((w & 0xffffffe0) == 0xd5384100) { /* mrs d, sp_el0 */
		c->value[d] = A64_SP;
	} else if (d != 31) {
		c->value[d] = V_OTHER;
	}
}

static void
riscv_csr(struct scan *c, unsigned d, unsigned csr)
{
	if (csr == 0x141 || csr == 0x341) /* sepc, mepc */
		c->value[d] = V_PC;
	else if (csr == 0x100 || csr == 0x300) /* sstatus, mstatus */
		c->value[d] = V_STATUS;
	else
		c->value[d] = V_OTHER;
}

static void
riscv_set(struct scan *c, unsigned d, unsigned from)
{
	if (d == RV_SP && from != RV_SP && from != 8)
		c->s->switched = true;
	c->value[d] = V_OTHER;
}

static void
riscv_long(struct scan *c, uint32_t w)
{
	unsigned d = w >> 7 & 31, a = w >> 15 & 31, b = w >> 20 & 31;
	int32_t imm = insn_sign(w >> 20, 12);
	int32_t to = insn_sign(w >> 25 << 5 | d, 12);
	bool slot = a == RV_TP && (imm & 7) == 0 && imm >= 0 && imm < 8 * SLOTS;

	if ((w & 0x707f) == 0x3023 && a == RV_SP) { /* sd b, to(sp) */
		store(c, b, to);
	} else if ((w & 0x707f) == 0x3023 && a == RV_TP) {
		if (to >= 0 && to < 8 * SLOTS && (to & 7) == 0)
			c->slot[to / 8] = c->value[b];
	} else if ((w & 0x707f) == 0x3003 && slot) { /* ld d, imm(tp) */
		c->value[d] = c->slot[imm / 8];
	} else if ((w & 0x7f) == 0x73 && (w >> 12 & 3) != 0) {
		riscv_csr(c, d, w >> 20);
	} else if ((w & 0xfffff) == 0x10113) { /* addi sp, sp, imm */
		move(c, -imm);
		c->value[RV_SP] = V_OTHER;
	} else if ((w & 0x7f) == 0x33 || (w & 0x707f) == 0x13) {
		riscv_set(c, d, a); /* add d, a, b; addi d, a, imm */
	} else if ((w & 0x5f) != 0x03 && (w & 0x7f) != 0x63 && d != 0) {
		c->value[d] = V_OTHER;
	}
}

static void
riscv_short(struct scan *c, uint32_t w)
{
	unsigned d = w >> 7 & 31;

	if ((w & 0xe003) == 0xe002) { /* c.sdsp b, imm */
		store(c, w >> 2 & 31,
		    (int32_t)((w >> 10 & 7) << 3 | (w >> 7 & 7) << 6));
	} else if ((w & 0xef83) == 0x6101) { /* c.addi16sp */
		move(c, -insn_sign((w >> 12 & 1) << 9 | (w >> 3 & 3) << 7 |
				       (w >> 5 & 1) << 6 | (w >> 2 & 1) << 5 |
				       (w >> 6 & 1) << 4,
			    10));
		c->value[RV_SP] = V_OTHER;
	} else if ((w & 0xef83) == 0x0101) { /* c.addi sp */
		move(c, -insn_sign((w >> 12 & 1) << 5 | (w >> 2 & 31), 6));
		c->value[RV_SP] = V_OTHER;
	} else if ((w & 0xf003) == 0x8002 && (w >> 2 & 31) != 0) {
		riscv_set(c, d, w >> 2 & 31); /* c.mv */
	} else if ((w & 3) == 2 && (w >> 13) <= 3 && d != 0) {
		c->value[d] = V_OTHER; /* c.slli, c.ldsp */
	} else if ((w & 3) == 1 && (w >> 13) <= 3 && d != 0) {
		c->value[d] = V_OTHER; /* c.addi, c.li, c.lui */
	}
}

/* One that sets where an exception's return goes: msr elr_el1, csrw sepc. */
static bool
is_exit(enum unwind_arch arch, uint32_t w)
{
	if (arch == UNWIND_AARCH64)
		return (w & 0xffffffe0) == 0xd5184020;
	return (w & 0xdff07fff) == 0x14101073;
}

/*
 * One that reads that, or returns; or, in the vectors of Linux on aarch64,
 * add sp, sp, x0.
 */
static bool
is_exception(enum unwind_arch arch, uint32_t w)
{
	if (arch == UNWIND_AARCH64)
		return w == 0xd69f03e0 || w == 0x8b2063ff ||
		       (w & 0xffffffe0) == 0xd5384020;
	return w == 0x10200073 || w == 0x30200073 ||
	       (w & 0xdffff07f) == 0x14102073;
}

static void
step_over(struct scan *c, enum unwind_arch arch, uint32_t w, size_t len)
{
	if (arch == UNWIND_AARCH64)
		aarch64(c, w);
	else if (len == 4)
		riscv_long(c, w);
	else
		riscv_short(c, w);
}

static void
begin(struct scan *c, enum unwind_arch arch)
{
	struct saved *s = c->s;

	memset(s, 0, sizeof *s);
	for (int i = 0; i < UNWIND_REGS; i++) {
		s->at[i] = -1;
		c->value[i] = (uint8_t)i;
	}
	s->status = s->below = s->pc_in = s->status_in = -1;
	memset(c->slot, V_OTHER, sizeof c->slot);
	if (arch == UNWIND_AARCH64) /* as a number in a store, it is zero */
		c->value[A64_SP] = V_OTHER;
}

void
saved_scan(enum unwind_arch arch, const uint8_t *code, size_t before, size_t n,
    struct saved *s)
{
	const struct unwind_abi *abi = &unwind_abis[arch];
	struct saved rest;
	struct scan c = {.s = s, .pc = abi->pc};
	uint32_t w;

	begin(&c, arch);
	for (size_t i = 0, len; i < n; i += len) {
		len = insn_length(arch, code + i, n - i, &w);
		if (len == 0)
			break;
		if (i >= before && c.s == s) {
			for (int r = 0; r < UNWIND_REGS; r++)
				s->own |= (uint64_t)(c.value[r] == r) << r;
			c.s = &rest;
			rest = *s;
		}
		step_over(&c, arch, w, len);
		s->leaves = s->leaves || is_exit(arch, w);
		s->exception = s->exception || is_exception(arch, w);
	}
	/* What the rest of the code takes for the interrupted one's sp. */
	if (c.s == &rest)
		s->below = rest.below;
}

enum unwind_mode
saved_mode(enum unwind_arch arch, uint64_t status)
{
	bool user = arch == UNWIND_AARCH64  ? (status & 15) == 0
		    : arch == UNWIND_X86_64 ? (status & 3) == 3
					    : (status & 0x1900) == 0;

	return user ? UNWIND_MODE_USER : UNWIND_MODE_KERNEL;
}

/* What the processor still has of what it interrupted. */
static void
take_rest(enum unwind_arch arch, const struct saved *s,
    struct unwind_regs *regs, uint64_t *known)
{
	const struct unwind_abi *abi = &unwind_abis[arch];
	uint64_t sp = regs->r[abi->sp];

	*known = s->own;
	regs->r[abi->pc] = regs->exception_pc;
	*known |= 1ULL << abi->pc;
	if (arch == UNWIND_AARCH64 && (s->below >= 0 || !s->switched)) {
		regs->r[abi->sp] =
		    sp + (uint64_t)(s->below >= 0 ? s->below : s->moved);
		*known |= 1ULL << abi->sp;
	}
	regs->mode = saved_mode(arch, regs->exception_status);
}

int
saved_restore(enum unwind_arch arch, const struct saved *s, bool now,
    struct unwind_regs *regs, uint64_t *known, unwind_read *read, void *arg,
    uint64_t *bad)
{
	uint64_t sp = regs->r[unwind_abis[arch].sp], word;

	*known = 0;
	regs->mode = UNWIND_MODE_UNKNOWN;
	if (now)
		take_rest(arch, s, regs, known);
	regs->has_exception = false;
	for (int i = 0; i < UNWIND_REGS; i++) {
		if (s->at[i] < 0)
			continue;
		*bad = sp + (uint64_t)s->at[i];
		if (read(arg, *bad, &regs->r[i]) != 0)
			return -1;
		*known |= 1ULL << i;
	}
	if (s->status < 0)
		return 0;
	*bad = sp + (uint64_t)s->status;
	if (read(arg, *bad, &word) != 0)
		return -1;
	regs->mode = saved_mode(arch, word);
	return 0;
}
