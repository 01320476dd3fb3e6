/* SPDX-License-Identifier: ISC */
/* What the kernel's unwinder (arch/x86/kernel/unwind_orc.c) does by them. */
#include "cfi/orc.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum { ENTRY = 6, ENTRIES_MAX = 1 << 24 };

/* The registers of an entry. */
enum {
	REG_UNDEFINED,
	REG_PREV_SP,
	REG_DX,
	REG_DI,
	REG_BP,
	REG_SP,
	REG_R10,
	REG_R13,
	REG_BP_INDIRECT,
	REG_SP_INDIRECT
};

/* DWARF's numbers. */
enum { RDX = 1, RDI = 5, RBP = 6, RSP = 7, R10 = 10, R13 = 13, RIP = 16 };

enum layout { LAYOUT_5, LAYOUT_6_3, LAYOUT_6_4 };

struct orc_entry {
	int32_t at; /* from ip_addr */
	int16_t sp_off, bp_off;
	uint16_t bits;
};

struct orc {
	uint64_t ip_addr;
	enum layout layout;
	struct orc_entry *entry; /* sorted by `at` */
	size_t n;
};

/* .orc_header: a hash of the definitions that the kernel was built with. */
static const uint8_t header_6_3[20] = {0xdb, 0x84, 0xae, 0xd4, 0x10, 0x3b, 0x31,
    0xdd, 0x51, 0xe0, 0x17, 0xf8, 0xf7, 0x97, 0x83, 0xca, 0x98, 0x5c, 0x2c,
    0x51};
static const uint8_t header_6_4[20] = {0xfe, 0x5d, 0x32, 0xbf, 0x58, 0x1b, 0xd6,
    0x3b, 0x2c, 0xa9, 0xa5, 0xc6, 0x5b, 0xa5, 0xa6, 0x25, 0xea, 0xb3, 0xfe,
    0x24};

static uint16_t
get16(const uint8_t *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

static int
by_address(const void *a, const void *b)
{
	const struct orc_entry *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/*
 * Without a header it is a kernel before 6.4. In 6.3 bit 10 came to mean that
 * the caller was interrupted; before, it was the end, which has no register.
 */
static int
find_layout(struct orc *o, const struct orc_sections *s)
{
	size_t end = 0, other = 0;

	if (s->header_len >= 20) {
		if (memcmp(s->header, header_6_3, 20) == 0)
			o->layout = LAYOUT_6_3;
		else if (memcmp(s->header, header_6_4, 20) == 0)
			o->layout = LAYOUT_6_4;
		else
			return -1;
		return 0;
	}
	for (size_t i = 0; i < o->n; i++) {
		if ((o->entry[i].bits & 0x400) == 0)
			continue;
		if ((o->entry[i].bits & 15) == REG_UNDEFINED)
			end++;
		else
			other++;
	}
	o->layout = other > end ? LAYOUT_6_3 : LAYOUT_5;
	return 0;
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
	o->ip_addr = s->ip_addr;
	o->n = n;
	o->entry = xcalloc(n, sizeof *o->entry);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *ip = s->ip + 4 * i, *e = s->entry + ENTRY * i;
		uint32_t at = get16(ip) | (uint32_t)get16(ip + 2) << 16;

		o->entry[i] =
		    (struct orc_entry){(int32_t)(at + 4 * (uint32_t)i),
			(int16_t)get16(e), (int16_t)get16(e + 2), get16(e + 4)};
		if (i > 0 && o->entry[i].at < o->entry[i - 1].at)
			sorted = false;
	}
	if (!sorted)
		qsort(o->entry, n, sizeof *o->entry, by_address);
	if (find_layout(o, s) == 0)
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

/* What an entry is for; since 6.4 the numbers in the tables. */
enum orc_type { TYPE_NONE, TYPE_END, TYPE_CALL, TYPE_REGS, TYPE_PUSHED };

static enum orc_type
old_type(unsigned type, bool undefined, bool end)
{
	static const enum orc_type types[] = {
	    TYPE_CALL, TYPE_REGS, TYPE_PUSHED, TYPE_NONE};

	if (undefined)
		return end ? TYPE_END : TYPE_NONE;
	return types[type & 3];
}

/* Gives the type and whether the caller was interrupted. */
static enum orc_type
entry_type(const struct orc *o, unsigned bits, bool *interrupted)
{
	const bool last = o->layout == LAYOUT_5;
	enum orc_type type;

	if (o->layout == LAYOUT_6_4) {
		*interrupted = bits >> 11 & 1;
		return bits >> 8 & 7;
	}
	type = old_type(
	    bits >> 8 & 3, (bits & 15) == 0, bits >> (last ? 10 : 11) & 1);
	*interrupted = last ? type >= TYPE_REGS : bits >> 10 & 1;
	return type;
}

/* The CFA: the caller's stack pointer; where the registers are for TYPE_REGS.
 */
static bool
set_cfa(struct caller *c, const struct orc_entry *e)
{
	static const uint8_t numbers[] = {
	    0, 0, RDX, RDI, RBP, RSP, R10, R13, RBP, RSP};
	const unsigned reg = e->bits & 15;

	if (reg < REG_DX || reg > REG_SP_INDIRECT)
		return false;
	caller_init(c, numbers[reg], 0);
	if (reg == REG_BP || reg == REG_SP || reg == REG_SP_INDIRECT)
		c->cfa_off = e->sp_off;
	if (reg >= REG_BP_INDIRECT) {
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
	int64_t at = (int64_t)(addr - o->ip_addr);
	size_t low = 0, high = o->n;
	const struct orc_entry *e;
	enum orc_type type;
	bool interrupted;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (o->entry[mid].at <= at)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return ORC_NONE;
	e = &o->entry[low - 1];
	type = entry_type(o, e->bits, &interrupted);
	if (type == TYPE_NONE)
		return ORC_NONE;
	if (type == TYPE_END)
		return ORC_END;
	if (!set_cfa(c, e))
		return ORC_BAD;
	c->interrupted = interrupted;
	c->keep = 1 << RSP | 1 << RBP;
	if (type == TYPE_CALL)
		caller_add(c, RIP, CALLER_AT, -8);
	else if (type == TYPE_REGS)
		add_regs(c);
	else if (type == TYPE_PUSHED)
		add_pushed(c, 0);
	return type <= TYPE_PUSHED && set_bp(c, e) ? ORC_CALLER : ORC_BAD;
}
