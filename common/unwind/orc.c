/* SPDX-License-Identifier: ISC */
/* Knows the bits of the tables, and what the kernel's unwinder does by them. */
#include "unwind/orc.h"

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

struct place {
	int32_t at; /* from ip_addr */
	int16_t sp_off, bp_off;
	uint16_t bits;
};

struct orc {
	uint64_t ip_addr;
	enum layout layout;
	struct place *place; /* sorted by `at` */
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
	const struct place *x = a, *y = b;

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
		if ((o->place[i].bits & 0x400) == 0)
			continue;
		if ((o->place[i].bits & 15) == REG_UNDEFINED)
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
	o->place = xcalloc(n, sizeof *o->place);
	for (size_t i = 0; i < n; i++) {
		const uint8_t *ip = s->ip + 4 * i, *e = s->entry + ENTRY * i;
		uint32_t at = get16(ip) | (uint32_t)get16(ip + 2) << 16;

		o->place[i] = (struct place){(int32_t)(at + 4 * (uint32_t)i),
		    (int16_t)get16(e), (int16_t)get16(e + 2), get16(e + 4)};
		if (i > 0 && o->place[i].at < o->place[i - 1].at)
			sorted = false;
	}
	if (!sorted)
		qsort(o->place, n, sizeof *o->place, by_address);
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
	free(o->place);
	free(o);
}

static enum orc_type
old_type(unsigned type, bool undefined, bool end)
{
	static const enum orc_type types[] = {
	    ORC_CALL, ORC_REGS, ORC_PARTIAL, ORC_UNDEFINED};

	if (undefined)
		return end ? ORC_END : ORC_UNDEFINED;
	return types[type & 3];
}

struct orc_row
orc_row(const struct orc *o, uint64_t addr)
{
	int64_t at = (int64_t)(addr - o->ip_addr);
	size_t low = 0, high = o->n;
	struct orc_row row = {0};
	const struct place *p;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (o->place[mid].at <= at)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == 0)
		return row;
	p = &o->place[low - 1];
	row.sp_reg = p->bits & 15;
	row.bp_reg = p->bits >> 4 & 15;
	row.sp_off = p->sp_off;
	row.bp_off = p->bp_off;
	if (o->layout == LAYOUT_6_4) {
		row.type = p->bits >> 8 & 7;
		row.signal = p->bits >> 11 & 1;
	} else {
		bool last = o->layout == LAYOUT_5;

		row.type = old_type(p->bits >> 8 & 3, row.sp_reg == 0,
		    p->bits >> (last ? 10 : 11) & 1);
		row.signal = last ? row.type >= ORC_REGS : p->bits >> 10 & 1;
	}
	return row;
}

static enum orc_step
get(unwind_read *read, void *arg, uint64_t addr, uint64_t *word, uint64_t *bad)
{
	if (read(arg, addr, word) == 0)
		return ORC_STEPPED;
	*bad = addr;
	return ORC_MEMORY;
}

/* What the row calls the caller's stack pointer; for REGS, where they are. */
static enum orc_step
get_cfa(const struct orc_row *row, const struct unwind_regs *regs,
    uint64_t known, unwind_read *read, void *arg, uint64_t *cfa, uint64_t *bad)
{
	static const uint8_t numbers[] = {
	    0, 0, RDX, RDI, RBP, RSP, R10, R13, RBP, RSP};
	uint64_t off = (uint64_t)(int64_t)row->sp_off;
	enum orc_step r;
	uint8_t reg;

	if (row->sp_reg < REG_DX || row->sp_reg > REG_SP_INDIRECT)
		return ORC_BAD;
	reg = numbers[row->sp_reg];
	if ((known >> reg & 1) == 0)
		return ORC_LOST;
	*cfa = regs->r[reg];
	switch (row->sp_reg) {
	case REG_BP:
	case REG_SP:
		*cfa += off;
		return ORC_STEPPED;
	case REG_BP_INDIRECT:
		return get(read, arg, *cfa + off, cfa, bad);
	case REG_SP_INDIRECT:
		r = get(read, arg, *cfa, cfa, bad);
		*cfa += off;
		return r;
	default:
		return ORC_STEPPED;
	}
}

/* The 5 words that the processor pushes: rip, cs, rflags, rsp, ss. */
static enum orc_step
get_pushed(uint64_t at, struct unwind_regs *regs, unwind_read *read, void *arg,
    uint64_t *bad)
{
	uint64_t cs = 0;
	enum orc_step r = get(read, arg, at, &regs->r[RIP], bad);

	if (r == ORC_STEPPED)
		r = get(read, arg, at + 8, &cs, bad);
	if (r == ORC_STEPPED)
		r = get(read, arg, at + 24, &regs->r[RSP], bad);
	regs->mode = cs & 3 ? UNWIND_MODE_USER : UNWIND_MODE_KERNEL;
	return r == ORC_STEPPED ? ORC_SWITCHED : r;
}

/* struct pt_regs: the other registers, orig_ax, and those of the processor. */
static enum orc_step
get_regs(uint64_t at, struct unwind_regs *regs, unwind_read *read, void *arg,
    uint64_t *bad)
{
	static const uint8_t order[] = {
	    15, 14, 13, 12, RBP, 3, 11, 10, 9, 8, 0, 2, RDX, 4, RDI};
	enum orc_step r;

	for (size_t i = 0; i < sizeof order; i++) {
		r = get(read, arg, at + 8 * i, &regs->r[order[i]], bad);
		if (r != ORC_STEPPED)
			return r;
	}
	return get_pushed(at + 8 * 16, regs, read, arg, bad);
}

/* Where a function has saved its caller's frame pointer. */
static enum orc_step
get_bp(const struct orc_row *row, const struct unwind_regs *old, uint64_t cfa,
    struct unwind_regs *up, uint64_t *known, unwind_read *read, void *arg,
    uint64_t *bad)
{
	uint64_t at;

	switch (row->bp_reg) {
	case REG_UNDEFINED:
		return ORC_STEPPED;
	case REG_PREV_SP:
		at = cfa;
		break;
	case REG_BP:
		at = old->r[RBP];
		break;
	default:
		return ORC_BAD;
	}
	*known |= 1 << RBP;
	return get(
	    read, arg, at + (uint64_t)(int64_t)row->bp_off, &up->r[RBP], bad);
}

enum orc_step
orc_step(const struct orc_row *row, struct unwind_regs *regs, uint64_t *known,
    unwind_read *read, void *arg, uint64_t *bad)
{
	struct unwind_regs old = *regs;
	uint64_t cfa = 0, keep = 1 << RSP | 1 << RIP;
	enum orc_step r, done = ORC_STEPPED;

	r = get_cfa(row, regs, *known, read, arg, &cfa, bad);
	if (r != ORC_STEPPED)
		return r;
	if (row->sp_reg >= REG_BP_INDIRECT)
		done = ORC_SWITCHED;
	switch (row->type) {
	case ORC_CALL:
		r = get(read, arg, cfa - 8, &regs->r[RIP], bad);
		regs->r[RSP] = cfa;
		break;
	case ORC_REGS:
		r = get_regs(cfa, regs, read, arg, bad);
		keep = UINT64_MAX;
		break;
	case ORC_PARTIAL:
		r = get_pushed(cfa, regs, read, arg, bad);
		break;
	default:
		return ORC_BAD;
	}
	if (r != ORC_STEPPED && r != ORC_SWITCHED)
		return r;
	done = r == ORC_SWITCHED ? r : done;
	*known &= keep | 1 << RBP;
	if (keep == UINT64_MAX)
		*known = keep;
	r = get_bp(row, &old, cfa, regs, known, read, arg, bad);
	return r == ORC_STEPPED ? done : r;
}
