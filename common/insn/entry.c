/* SPDX-License-Identifier: ISC */
#include "insn/entry.h"
#include "insn/risc.h"

#include <string.h>

enum { SLOTS = 64, UNSAVED = -1 };

/* Where Linux has x30 of what was interrupted, from its stack pointer on. */
enum { LINUX_RA = 240 };

/*
 * What a register holds: below V_PC, what that one held at the beginning; of
 * what was interrupted, in the order of enum risc_special, with the numbers of
 * caller_add(); or FRAME, the stack pointer by which registers were saved.
 */
enum { V_PC = CALLER_STATUS - 1, V_STATUS, V_USER_SP, V_FRAME, V_OTHER };

/* What all of the code tells, not only that before the place. */
struct whole {
	int32_t old_sp; /* what the code adds to sp to save it; UNSAVED */
	bool exception; /* the code is part of taking an exception, */
	bool leaves;	/* or of returning from it */
	bool machine;	/* of machine mode */
	bool returns;	/* from the exception itself */
};

struct scan {
	const struct unwind_abi *abi;
	bool arm;
	uint8_t value[UNWIND_REGS];
	uint8_t slot[SLOTS]; /* riscv: memory at the thread pointer, words */
	/* Offsets from sp of what was saved, or is loaded again; UNSAVED. */
	int32_t at[V_USER_SP + 1];
	int32_t moved; /* how far sp has moved down */
	bool away;     /* then the code went to another stack, where */
	int32_t frame; /* sp + frame has that pointer; UNSAVED */
	bool entry;    /* a program counter was saved that is not its own */
	bool switched;
	struct whole all;
};

static void
scan_init(struct scan *s, enum unwind_arch arch)
{
	*s = (struct scan){.abi = &unwind_abis[arch],
	    .arm = arch == UNWIND_AARCH64,
	    .frame = UNSAVED,
	    .all.old_sp = UNSAVED};
	for (int i = 0; i < UNWIND_REGS; i++)
		s->value[i] = (uint8_t)i;
	memset(s->slot, V_OTHER, sizeof s->slot);
	memset(s->at, 0xff, sizeof s->at);
	if (s->arm) /* in a store, the number is the zero register's */
		s->value[s->abi->sp] = V_OTHER;
}

/* The stack pointer moves down: what was saved is further above. */
static void
scan_move(struct scan *s, int32_t down)
{
	if (s->arm && down < 0)
		return;
	if (down != 0)
		s->value[s->abi->sp] = V_OTHER;
	if (s->away) {
		s->frame += s->frame != UNSAVED ? down : 0;
		return;
	}
	for (int i = 0; i < UNWIND_REGS && down != 0; i++)
		if (s->value[i] == V_FRAME)
			s->value[i] = V_OTHER;
	for (int i = 0; i <= V_USER_SP; i++)
		if (s->at[i] != UNSAVED)
			s->at[i] += down;
	s->moved += down;
}

/* The stack pointer is again what it was at the beginning. */
static void
scan_back(struct scan *s)
{
	if (s->away)
		return;
	scan_move(s, -s->moved);
	s->value[s->abi->sp] = s->abi->sp;
}

/* The first place of a register counts: later it may hold something else. */
static void
scan_store(struct scan *s, unsigned reg, int32_t off)
{
	const uint8_t v = reg != RISC_NONE ? s->value[reg] : V_OTHER;

	if (s->away && v == V_FRAME)
		s->frame = off;
	if (off < 0 || s->away || v > V_USER_SP)
		return;
	s->entry = s->entry || v == V_PC;
	if (v >= V_PC || s->at[v] == UNSAVED)
		s->at[v] = off;
}

/* The slot of a place at the thread pointer; -1: none. */
static int
scan_slot(const struct scan *s, int32_t off)
{
	const int32_t n = s->abi->word;

	return off % n == 0 && off >= 0 && off < n * SLOTS ? off / n : -1;
}

/* What the instruction leaves in its register. */
static uint8_t
scan_value(const struct scan *s, const struct risc *r)
{
	if (r->kind == RISC_GET)
		return (uint8_t)(V_PC + r->special);
	if (r->kind == RISC_ADDRESS && s->arm && r->off > 0)
		return s->abi->sp;
	if (!s->away &&
	    (r->from == s->abi->sp || (r->kind == RISC_ADDRESS && r->off == 0)))
		return V_FRAME;
	if (r->from != RISC_NONE && s->value[r->from] == V_FRAME)
		return V_FRAME;
	if (r->kind == RISC_FETCH && scan_slot(s, r->off) >= 0)
		return s->slot[scan_slot(s, r->off)];
	return V_OTHER;
}

static void
scan_step(struct scan *s, const struct risc *r)
{
	const uint8_t zero = s->arm ? s->abi->sp : 0;
	struct whole *all = &s->all;

	scan_move(s, r->down);
	all->machine = all->machine || r->machine;
	all->returns = all->returns || r->kind == RISC_RETURN;
	all->exception = all->exception || all->returns || r->vector ||
			 (r->kind == RISC_GET && r->special == RISC_PC);
	switch (r->kind) {
	case RISC_STORE:
		scan_store(s, r->d, r->off);
		scan_store(s, r->e, r->off + 8);
		break;
	case RISC_SAVE:
		if (scan_slot(s, r->off) >= 0)
			s->slot[scan_slot(s, r->off)] = s->value[r->d];
		break;
	case RISC_PUT:
		all->leaves = all->leaves || r->special == RISC_PC;
		break;
	case RISC_SWITCH:
		s->switched = true;
		s->away = s->away || s->entry;
		break;
	case RISC_MOVE:
	case RISC_RETURN:
		break;
	case RISC_ADDRESS:
		if (all->old_sp == UNSAVED && r->off > 0)
			all->old_sp = r->off;
		/* fallthrough */
	default:
		if (r->d == RISC_NONE || r->d == zero)
			break;
		s->value[r->d] = scan_value(s, r);
		if (r->d == s->abi->sp && s->value[r->d] == r->d)
			scan_back(s);
	}
}

/* A bit for each register that still has its value at the beginning. */
static uint64_t
untouched(const struct scan *s)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < UNWIND_REGS; i++)
		bits |= (uint64_t)(s->value[i] == i) << i;
	return bits;
}

/*
 * Reads the code from the function's start up to the place; of what comes after
 * that, only what kind of code it is, and what it will save as the interrupted
 * stack pointer. Returns the registers that are untouched at the place.
 */
static uint64_t
scan_entry(struct scan *s, const struct entry_place *p)
{
	struct scan rest;
	struct scan *now = s;
	struct risc r;

	scan_init(s, p->arch);
	for (size_t i = 0, n; i < p->n; i += n) {
		n = risc_read(p->arch, p->code + i, p->n - i, &r);
		if (n == 0)
			break;
		if (i >= p->at && now == s) {
			rest = *s;
			now = &rest;
		}
		scan_step(now, &r);
	}
	if (now != &rest)
		return 0;
	s->all = rest.all;
	return untouched(s);
}

/*
 * Reads the code from the place up to the exception's return: what it loads
 * from the stack, and which registers it moves into the processor's. Linux'
 * trampoline of aarch64 may return; x29 goes there in far_el1. Returns false
 * without a return.
 */
static bool
scan_leave(struct scan *s, const struct entry_place *p, struct caller *c)
{
	int32_t slot[UNWIND_REGS];
	struct risc r = {0};

	scan_init(s, p->arch);
	memset(slot, 0xff, sizeof slot);
	for (size_t i = p->at, n; r.kind != RISC_RETURN && i < p->n; i += n) {
		n = risc_read(p->arch, p->code + i, p->n - i, &r);
		if (n == 0)
			return false;
		s->all.machine = s->all.machine || r.machine;
		if (r.kind == RISC_PARK && r.off == UNWIND_SPARE_FAULT &&
		    r.d == s->abi->fp) {
			if (slot[s->abi->ra] == UNSAVED)
				s->at[s->abi->ra] = LINUX_RA;
			return true;
		}
		if (r.kind == RISC_LOAD) {
			slot[r.d] = s->at[r.d] = r.off;
			if (r.e != RISC_NONE)
				slot[r.e] = s->at[r.e] = r.off + 8;
		} else if (r.kind == RISC_MOVE && s->arm && r.down < 0) {
			s->all.old_sp = -r.down;
		} else if (r.kind == RISC_PUT) {
			const unsigned to = V_PC + r.special;

			if (r.special == RISC_SP || slot[r.d] != UNSAVED)
				s->at[to] = slot[r.d];
			else
				caller_add(c, to, CALLER_REG, r.d);
		}
	}
	return r.kind == RISC_RETURN;
}

/* What the processor still has of what it interrupted. */
static void
add_processor(
    const struct scan *s, const struct unwind_regs *regs, struct caller *c)
{
	const bool machine = s->all.machine;

	if (caller_find(c, V_PC) == NULL)
		caller_add(c, V_PC, CALLER_IS,
		    (int64_t)(machine ? regs->machine_pc : regs->exception_pc));
	if (caller_find(c, CALLER_STATUS) == NULL)
		caller_add(c, CALLER_STATUS, CALLER_IS,
		    (int64_t)(machine ? regs->machine_status
				      : regs->exception_status));
}

/* Whether a register is kept by what the code calls. */
static bool
is_callees(enum unwind_arch arch, unsigned r)
{
	/* x19 to x29, or s0 to s11 */
	const uint64_t all = arch == UNWIND_AARCH64 ? 0x3ff80000 : 0x0ffc0300;

	return (all >> r & 1) != 0;
}

/*
 * A user's stack pointer: saved, in a register on its way there, or in SP_EL0
 * still, where the kernel has addresses of its own later.
 */
static void
add_user_sp(const struct scan *s, const struct entry_place *p,
    const struct unwind_regs *regs, struct caller *c)
{
	struct caller_rule *rule = &c->user_sp;

	*rule = (struct caller_rule){s->abi->sp, CALLER_LOST, 0};
	if (s->at[V_USER_SP] != UNSAVED) {
		*rule = (struct caller_rule){
		    s->abi->sp, CALLER_AT, s->at[V_USER_SP]};
		return;
	}
	for (unsigned r = 0; r < UNWIND_REGS; r++)
		if (s->value[r] == V_USER_SP &&
		    (p->exact || is_callees(p->arch, r))) {
			rule->how = CALLER_REG;
			rule->off = r;
			return;
		}
	if (s->arm && p->exact && regs->thread_sp != 0 &&
	    (regs->thread_sp >> 55 & 1) == 0) {
		rule->how = CALLER_IS;
		rule->off = (int64_t)regs->thread_sp;
	}
}

/* Without a place of its own, sp is as it was before the code moved it. */
static void
add_saved(const struct scan *s, const struct entry_place *p,
    const struct unwind_regs *regs, struct caller *c)
{
	if (s->arm && s->all.old_sp != UNSAVED)
		caller_add(c, s->abi->sp, CALLER_VALUE, s->all.old_sp);
	else if (!s->switched || s->away)
		caller_add(c, s->abi->sp, CALLER_VALUE, s->moved);
	if (s->away) {
		c->cfa = CFA_WORD;
		c->word = s->frame;
	}
	c->own_sp = s->at[s->abi->sp] == UNSAVED;
	add_user_sp(s, p, regs, c);
	for (unsigned i = 0; i <= UNWIND_REGS; i++)
		if (s->at[i] != UNSAVED)
			caller_add(c, i, CALLER_AT, s->at[i]);
}

enum entry_found
entry_find(const struct entry_place *p, const struct unwind_regs *regs,
    struct caller *c, bool *switched)
{
	/* The code may leave x19 to x29, or s0 to s11, to what it calls. */
	const uint64_t callee_saved =
	    p->arch == UNWIND_AARCH64 ? 0x3ff80000 : 0x0ffc0300;
	const struct unwind_abi *abi = &unwind_abis[p->arch];
	uint64_t own;
	struct scan s;
	bool has, now;

	caller_init(c, abi->sp, 0);
	c->interrupted = c->switched = true;
	own = scan_entry(&s, p);
	*switched = s.switched;
	has = s.all.machine ? regs->has_machine : regs->has_exception;
	now = has && s.all.exception && !s.all.leaves;
	if (s.away && s.frame == UNSAVED)
		return ENTRY_UNSAVED;
	if (s.entry || now) {
		c->keep = now ? own : own & callee_saved;
		if (now)
			add_processor(&s, regs, c);
		else
			caller_add(c, CALLER_STATUS, CALLER_LOST, 0);
		add_saved(&s, p, regs, c);
		return ENTRY_FOUND;
	}
	if (!p->exact && s.all.returns && !s.all.leaves &&
	    s.at[abi->ra] != UNSAVED) {
		c->keep = own & callee_saved;
		add_saved(&s, p, regs, c);
		return ENTRY_CALLED;
	}
	if (!p->exact || (!s.all.leaves && !s.all.exception))
		return ENTRY_NONE;
	if (!s.all.leaves || !has || !scan_leave(&s, p, c))
		return ENTRY_UNSAVED;
	for (unsigned i = 0; i < UNWIND_REGS; i++)
		if (s.at[i] != UNSAVED)
			c->keep &= ~(1ULL << i);
	if (s.arm)
		c->keep &= ~(1ULL << abi->sp);
	add_processor(&s, regs, c);
	add_saved(&s, p, regs, c);
	return ENTRY_FOUND;
}
