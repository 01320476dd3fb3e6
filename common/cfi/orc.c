/* SPDX-License-Identifier: ISC */
/* What the kernel's unwinder (arch/x86/kernel/unwind_orc.c) does by them. */
#include "cfi/cfi.h"

#include <stdlib.h>

#include "set/bound.h"
#include "base/num.h"
#include "base/xalloc.h"

enum { ENTRY = 6, ENTRIES_MAX = 1 << 24 };

/* The registers of an entry. */
enum {
	REG_BAD,
	REG_UNDEFINED,
	REG_PREV_SP,
	REG_DX,
	REG_DI,
	REG_BP,
	REG_SP,
	REG_R10,
	REG_R13,
	REG_BP_INDIRECT,
	REG_SP_INDIRECT,
	REG_AX
};

/* What an entry is for; since 6.4 the numbers in the tables. */
enum { TYPE_NONE, TYPE_END, TYPE_CALL, TYPE_REGS, TYPE_PUSHED };

/* DWARF's numbers. */
enum { RAX, RDX, RDI = 5, RBP, RSP, R10 = 10, R13 = 13, RIP = 16 };

struct orc_entry {
	uint64_t addr;
	int16_t sp_off, bp_off;
	uint16_t bits; /* as they are since 6.4, with our registers */
};

struct orc {
	struct orc_entry *entry; /* sorted by `addr` */
	size_t n;
};

static size_t
most(const size_t n[16])
{
	size_t max = 0;

	for (size_t i = 1; i < 16; i++)
		max = n[i] > n[max] ? i : max;
	return max;
}

/*
 * The numbers of the registers, told by those that are used most: for the CFA
 * at a function's beginning, 8 bytes above the stack pointer, and for where
 * the frame pointer is saved. NULL: unknown ones.
 */
static const uint8_t *
find_numbers(const struct orc *o)
{
	static const uint8_t known[][16] = {/* Linux 4.14, 7.2 */
	    {REG_UNDEFINED, REG_PREV_SP, REG_DX, REG_DI, REG_BP, REG_SP,
		REG_R10, REG_R13, REG_BP_INDIRECT, REG_SP_INDIRECT},
	    {REG_UNDEFINED, REG_AX, REG_DX, REG_SP, REG_BP, REG_DI, REG_R10,
		REG_R13, REG_PREV_SP, REG_SP_INDIRECT, REG_BP_INDIRECT}};
	size_t sp[16] = {0}, bp[16] = {0};

	for (size_t i = 0; i < o->n; i++) {
		const struct orc_entry *e = &o->entry[i];

		sp[e->bits & 15] += e->sp_off == 8;
		bp[e->bits >> 4 & 15] += (e->bits >> 4 & 15) != 0;
	}
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (known[i][most(sp)] == REG_SP &&
		    (most(bp) == 0 || known[i][most(bp)] == REG_PREV_SP))
			return known[i];
	return NULL;
}

/* Bits before 6.4: a type of two bits; 6.3 put one for signals after it. */
static unsigned
old_type(unsigned bits, bool has_signal)
{
	static const uint8_t types[] = {
	    TYPE_CALL, TYPE_REGS, TYPE_PUSHED, TYPE_NONE};
	unsigned type = types[bits >> 8 & 3], signal;

	if ((bits & 15) == 0)
		type =
		    bits >> (has_signal ? 11 : 10) & 1 ? TYPE_END : TYPE_NONE;
	signal = has_signal ? bits >> 10 & 1 : type >= TYPE_REGS;
	return type << 8 | signal << 11;
}

/*
 * Brings all bits into one form. Most entries are calls, which is type 2 since
 * 6.4 and was 0. In 6.3 bit 10 came to mean that the caller was interrupted;
 * before, it was the end, which has no register.
 */
static bool
convert(struct orc *o)
{
	const uint8_t *reg = find_numbers(o);
	size_t call[2] = {0}, tenth[2] = {0};

	for (size_t i = 0; i < o->n; i++) {
		const unsigned bits = o->entry[i].bits, type = bits >> 8 & 7;

		call[0] += type == 0 && (bits & 15) != 0;
		call[1] += type == TYPE_CALL;
		tenth[(bits & 15) != 0] += bits >> 10 & 1;
	}
	for (size_t i = 0; reg != NULL && i < o->n; i++) {
		uint16_t *bits = &o->entry[i].bits;
		const unsigned type =
		    call[1] > call[0] ? *bits & 0xf00
				      : old_type(*bits, tenth[1] > tenth[0]);

		*bits = (uint16_t)(reg[*bits & 15] | reg[*bits >> 4 & 15] << 4 |
				   type);
	}
	return reg != NULL;
}

struct orc *
orc_new(const struct orc_sections *s)
{
	struct orc *o;
	bool sorted = true;
	size_t n = s->ip_len / 4;

	if (n == 0 || n > ENTRIES_MAX || s->entry_len / ENTRY < n)
		return NULL;
	o = xcalloc(1, sizeof *o);
	o->n = n;
	o->entry = xcalloc(n, sizeof *o->entry);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *ip = s->ip + 4 * i, *e = s->entry + ENTRY * i;
		const uint64_t at = uint_load(ip, 4, false) + 4 * i;

		o->entry[i] = (struct orc_entry){
		    s->ip_addr + (uint64_t)(int64_t)(int32_t)at,
		    (int16_t)uint_load(e, 2, false),
		    (int16_t)uint_load(e + 2, 2, false),
		    (uint16_t)uint_load(e + 4, 2, false)};
		if (i > 0 && o->entry[i].addr < o->entry[i - 1].addr)
			sorted = false;
	}
	if (!sorted)
		qsort(o->entry, n, sizeof *o->entry, bound_compare);
	if (convert(o))
		return o;
	orc_free(o);
	return NULL;
}

void
orc_free(struct orc *o)
{
	if (o == NULL)
		return;
	free(o->entry);
	free(o);
}

/* The CFA: the caller's stack pointer; where the registers are for TYPE_REGS.
 */
static bool
set_cfa(struct caller *c, const struct orc_entry *e)
{
	static const uint8_t numbers[] = {
	    0, 0, 0, RDX, RDI, RBP, RSP, R10, R13, RBP, RSP, RAX};
	const unsigned reg = e->bits & 15;

	if (reg < REG_DX || reg > REG_AX)
		return false;
	caller_init(c, numbers[reg], 0);
	if (reg == REG_BP || reg == REG_SP || reg == REG_SP_INDIRECT)
		c->cfa_off = e->sp_off;
	if (reg == REG_BP_INDIRECT || reg == REG_SP_INDIRECT) {
		c->cfa = CFA_WORD;
		c->word = reg == REG_BP_INDIRECT ? e->sp_off : 0;
		c->switched = true;
	}
	return true;
}

/* The words that the processor pushes: rip, cs, rflags, rsp, ss. */
static void
add_pushed(struct caller *c, int64_t at)
{
	caller_add(c, RIP, CALLER_AT, at);
	caller_add(c, CALLER_STATUS, CALLER_AT, at + 8);
	caller_add(c, RSP, CALLER_AT, at + 24);
	c->switched = true;
}

/* struct pt_regs: the other registers, orig_ax, and those of the processor. */
static void
add_regs(struct caller *c)
{
	static const uint8_t order[] = {
	    15, 14, 13, 12, RBP, 3, 11, 10, 9, 8, 0, 2, RDX, 4, RDI};

	for (unsigned i = 0; i < sizeof order; i++)
		caller_add(c, order[i], CALLER_AT, 8 * i);
	add_pushed(c, 8 * 16);
}

/* Where a function has saved its caller's frame pointer. */
static bool
set_bp(struct caller *c, const struct orc_entry *e)
{
	switch (e->bits >> 4 & 15) {
	case REG_UNDEFINED:
		return true;
	case REG_PREV_SP:
		caller_add(c, RBP, CALLER_AT, e->bp_off);
		return true;
	case REG_BP:
		caller_add(c, RBP, CALLER_AT_FP, e->bp_off);
		return true;
	default:
		return false;
	}
}

enum orc_found
orc_find(const struct orc *o, uint64_t addr, struct caller *c)
{
	const size_t i = bound_above(o->entry, o->n, sizeof *o->entry,
	    offsetof(struct orc_entry, addr), addr);
	const struct orc_entry *e;
	unsigned type;

	if (i == 0)
		return ORC_NONE;
	e = &o->entry[i - 1];
	type = e->bits >> 8 & 7;
	if (type == TYPE_NONE)
		return ORC_NONE;
	if (type == TYPE_END)
		return ORC_END;
	if (!set_cfa(c, e))
		return ORC_BAD;
	c->interrupted = e->bits >> 11 & 1;
	c->keep = 1 << RSP | 1 << RBP;
	if (type == TYPE_CALL)
		caller_add(c, RIP, CALLER_AT, -8);
	else if (type == TYPE_REGS)
		add_regs(c);
	else if (type == TYPE_PUSHED)
		add_pushed(c, 0);
	return type <= TYPE_PUSHED && set_bp(c, e) ? ORC_CALLER : ORC_BAD;
}
