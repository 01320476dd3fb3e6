/* SPDX-License-Identifier: ISC */
/*
 * The trampoline of Linux on aarch64 between a program and a kernel that is not
 * in the program's page tables (KPTI): tramp_ventry and tramp_exit of
 * arch/arm64/kernel/entry.S. It has no stack: it keeps x30 in TPIDRRO_EL0 on
 * the way in, and x29 in FAR_EL1 on the way out.
 */
#include "unwind/entries.h"

#include "base/num.h"
#include "insn/entry.h"
#include "insn/risc.h"

enum {
	END = 64,  /* bytes from the beginning of tramp_exit to its eret */
	LAST = 12, /* from where it loads x29 again */
	FP = 29,
	RA = 30
};

#define RET 0xd65f03c0

static struct risc
read_at(const struct entry_place *p, size_t at)
{
	struct risc r = {.kind = RISC_SET};

	if (at < p->n)
		risc_read(p->arch, p->code + at, p->n - at, &r);
	return r;
}

/* A register that is in a spare one now; or it is lost. */
static void
add_spare(const struct unwind_regs *regs, unsigned reg, enum unwind_spare s,
    struct caller *c)
{
	c->keep &= ~(1ULL << reg);
	if (regs->has_spare[s])
		caller_add(c, reg, CALLER_IS, (int64_t)regs->spare[s]);
}

/* A vector: it keeps x30, and ends with ret. */
static bool
begins(const struct entry_place *p, const struct unwind_regs *regs,
    struct caller *c)
{
	const struct risc first = read_at(p, 0);

	if (first.kind != RISC_PARK || first.off != UNWIND_SPARE_THREAD ||
	    first.d != RA)
		return false;
	for (size_t i = 0; i + 4 <= p->n; i += 4) {
		if (uint_load(p->code + i, 4, false) != RET)
			continue;
		if (i < p->at)
			return false;
		if (p->at > 0)
			add_spare(regs, RA, UNWIND_SPARE_THREAD, c);
		return true;
	}
	return false;
}

/* The end: x29 is loaded right before eret, x30 from the stack in 6.1. */
static bool
ends(const struct entry_place *p, const struct unwind_regs *regs,
    struct caller *c)
{
	size_t i = p->at > LAST - 4 ? p->at - (LAST - 4) : 0, loads = p->n;
	struct risc r = read_at(p, i);

	for (; r.kind != RISC_RETURN; i += 4, r = read_at(p, i)) {
		if (i >= p->at + END || i >= p->n)
			return false;
		if (r.kind == RISC_UNPARK && r.off == UNWIND_SPARE_FAULT &&
		    r.d == FP)
			loads = i;
		if (r.kind == RISC_LOAD && r.d == RA && i >= p->at) {
			c->keep &= ~(1ULL << RA);
			caller_add(c, RA, CALLER_AT, r.off);
		}
	}
	if (i < p->at || loads >= i || i - loads >= LAST)
		return false;
	if (loads >= p->at)
		add_spare(regs, FP, UNWIND_SPARE_FAULT, c);
	return true;
}

enum entry_found
kpti_find(const struct entry_place *p, const struct unwind_regs *regs,
    struct caller *c)
{
	const struct unwind_abi *abi = &unwind_abis[p->arch];

	caller_init(c, abi->sp, 0);
	if (p->arch != UNWIND_AARCH64 || !p->exact || p->at % 4 != 0 ||
	    (!begins(p, regs, c) && !ends(p, regs, c)))
		return ENTRY_NONE;
	if (!regs->has_exception)
		return ENTRY_UNSAVED;
	c->keep &= ~(1ULL << abi->sp);
	c->interrupted = c->switched = c->own_sp = true;
	c->user_sp = (struct caller_rule){abi->sp, CALLER_LOST, 0};
	if (regs->thread_sp != 0) {
		c->user_sp.how = CALLER_IS;
		c->user_sp.off = (int64_t)regs->thread_sp;
	}
	caller_add(c, abi->pc, CALLER_IS, (int64_t)regs->exception_pc);
	caller_add(
	    c, CALLER_STATUS, CALLER_IS, (int64_t)regs->exception_status);
	return ENTRY_FOUND;
}
