/* SPDX-License-Identifier: ISC */
/* aarch64's tables, arm's long ones, which are a part of them, and the short.
 */
#include "memory/pages_arm.h"

#define BIT(n) (UINT64_C(1) << (n))

static uint64_t
bits(uint64_t value, unsigned from, unsigned n)
{
	return value >> from & (BIT(n) - 1);
}

/* A half of the memory, and how its tables are. */
struct half {
	uint64_t ttbr;
	unsigned size;	/* bits of an address */
	unsigned page;	/* bits of one in a page */
	unsigned outer; /* bits of a physical address */
	bool ds;	/* 52 bits with pages of 4 and 16 kB */
	bool off;	/* it has no tables */
};

/* The address in an entry; the lowest bits are other things. */
static uint64_t
address_of(const struct half *h, uint64_t entry)
{
	uint64_t at = entry & (BIT(48) - 1) & ~(BIT(h->page) - 1);

	if (h->ds)
		return at | bits(entry, 48, 2) << 48 | bits(entry, 8, 2) << 50;
	return h->outer > 48 && h->page == 16 ? at | bits(entry, 12, 4) << 48
					      : at;
}

static enum pages
walk(struct pages_walk *w, const struct half *h)
{
	const unsigned index = h->page - 3;
	unsigned level = (h->size - h->page + index - 1) / index;
	unsigned bit = h->page + level * index, first;
	uint64_t table = h->ttbr & (BIT(48) - 1), entry;

	if (h->off || level == 0)
		return PAGES_UNMAPPED;
	if (h->outer > 48 && (h->ds || h->page == 16))
		table |= bits(h->ttbr, 2, 4) << 48;
	first = h->size - (bit - index); /* bits of the first index */
	table &= ~(BIT(first + 3) - 1);
	for (unsigned n = first;; n = index) {
		bit -= index;
		if (!pages_entry(
			w, table + 8 * bits(w->addr, bit, n), 8, &entry) ||
		    (entry & 1) == 0 || ((entry & 2) == 0 && bit == h->page))
			return PAGES_UNMAPPED;
		table = address_of(h, entry);
		if (bit == h->page || (entry & 2) == 0)
			return pages_found(w, table, bit);
	}
}

enum pages
pages_aarch64(const struct paging *p, struct pages_walk *w)
{
	static const uint8_t low[] = {12, 16, 14, 0}, high[] = {0, 14, 12, 16};
	static const uint8_t sizes[] = {32, 36, 40, 42, 44, 48, 52, 52};
	const uint64_t tcr = p->reg[PAGING_FORM];
	const bool up = (w->addr >> 55 & 1) != 0;
	const bool tagged = (tcr >> (up ? 38 : 37) & 1) != 0;
	struct half h = {.ttbr = p->reg[up ? PAGING_HIGH : PAGING_LOW],
	    .size = 64 - (unsigned)bits(tcr, up ? 16 : 0, 6),
	    .page = up ? high[bits(tcr, 30, 2)] : low[bits(tcr, 14, 2)],
	    .outer = sizes[bits(tcr, 32, 3)],
	    .ds = (tcr >> 59 & 1) != 0,
	    .off = (tcr >> (up ? 23 : 7) & 1) != 0};
	const unsigned above = tagged ? 56 : 64;

	/* Of 32 bits, above the kernel, or below a hypervisor's tables. */
	if ((p->reg[PAGING_STATUS] & 0x1f) >= 8 ||
	    (p->reg[PAGING_OUTER] & 1) != 0)
		return PAGES_UNKNOWN;
	if ((p->reg[PAGING_ON] & 1) == 0)
		return pages_found(w, 0, 56);
	h.ds = h.ds && h.page < 16;
	if (h.page == 0 || h.size < 16 || h.size > 52)
		return PAGES_UNKNOWN;
	if (bits(w->addr, h.size, above - h.size) !=
	    (up ? BIT(above - h.size) - 1 : 0))
		return PAGES_UNMAPPED;
	return walk(w, &h);
}

/* Long descriptors: as aarch64's, of 32 bits at most. */
static enum pages
place_long(const struct paging *p, struct pages_walk *w)
{
	const uint64_t ttbcr = p->reg[PAGING_FORM];
	const unsigned low = (unsigned)bits(ttbcr, 0, 3);
	const unsigned high = (unsigned)bits(ttbcr, 16, 3);
	bool up = low != 0 && w->addr >> (32 - low) != 0;
	struct half h = {.page = 12, .outer = 40};

	if (low == 0 && high != 0)
		up = w->addr >> (32 - high) == BIT(high) - 1;
	else if (up && high != 0 && w->addr >> (32 - high) != BIT(high) - 1)
		return PAGES_UNMAPPED; /* in between */
	h.ttbr = p->reg[up ? PAGING_HIGH : PAGING_LOW] & (BIT(40) - 1);
	h.size = 32 - (up ? high : low);
	h.off = (ttbcr >> (up ? 23 : 7) & 1) != 0;
	return walk(w, &h);
}

static enum pages
place_short(const struct paging *p, struct pages_walk *w)
{
	const unsigned n = (unsigned)bits(p->reg[PAGING_FORM], 0, 3);
	const bool up = n != 0 && w->addr >> (32 - n) != 0;
	const unsigned size = up ? 14 : 14 - n;
	uint64_t table = p->reg[up ? PAGING_HIGH : PAGING_LOW] & 0xffffffff;
	uint64_t entry;

	table &= ~(BIT(size) - 1);
	if (!pages_entry(
		w, table + 4 * bits(w->addr, 20, size - 2), 4, &entry) ||
	    (entry & 3) == 0)
		return PAGES_UNMAPPED;
	if ((entry & 2) != 0) {
		if ((entry >> 18 & 1) == 0)
			return pages_found(w, entry, 20);
		return pages_found(w,
		    bits(entry, 24, 8) << 24 | bits(entry, 20, 4) << 32 |
			bits(entry, 5, 4) << 36,
		    24);
	}
	table = entry & ~UINT64_C(0x3ff);
	if (!pages_entry(w, table + 4 * bits(w->addr, 12, 8), 4, &entry) ||
	    (entry & 3) == 0)
		return PAGES_UNMAPPED;
	return pages_found(w, entry, (entry & 2) != 0 ? 12 : 16);
}

enum pages
pages_arm(const struct paging *p, struct pages_walk *w)
{
	const unsigned mode = p->reg[PAGING_STATUS] & 0x1f;
	const bool outer = (p->seen >> PAGING_OUTER & 1) != 0;

	/* A monitor's or hypervisor's mode; a secure world has other tables. */
	if (mode < 0x10 || mode == 0x16 || mode == 0x1a ||
	    (outer && (p->reg[PAGING_OUTER] & 1) == 0))
		return PAGES_UNKNOWN;
	if ((p->reg[PAGING_ON] & 1) == 0)
		return pages_found(w, 0, 32);
	return (p->reg[PAGING_FORM] >> 31 & 1) != 0 ? place_long(p, w)
						    : place_short(p, w);
}
