/* SPDX-License-Identifier: ISC */
#include "memory/pages.h"

#include "memory/pages_arm.h"

#define BIT(n) (UINT64_C(1) << (n))

/* Whether all bits of an address from this one on are the same. */
static bool
is_extended(uint64_t addr, unsigned bit)
{
	const int64_t high = (int64_t)addr >> bit;

	return high == 0 || high == -1;
}

/* Present, and of a page, not of a table; in the addresses of an entry. */
#define X86_PRESENT BIT(0)
#define X86_LARGE BIT(7)
#define X86_ADDRESS (BIT(52) - PAGES_SIZE)

/* PAE and beyond: tables of 512 entries; `bit` is above the first index. */
static enum pages
walk_x86(struct pages_walk *w, uint64_t table, unsigned bit)
{
	uint64_t entry;

	while (bit > 12) {
		bit -= 9;
		if (!pages_entry(
			w, table + 8 * (w->addr >> bit & 511), 8, &entry) ||
		    (entry & X86_PRESENT) == 0)
			return PAGES_UNMAPPED;
		table = entry & X86_ADDRESS;
		/* Those of two levels may be large. */
		if ((bit == 30 || bit == 21) && (entry & X86_LARGE) != 0)
			break;
	}
	return pages_found(w, table, bit);
}

/* Tables of 1024 entries; large pages have more bits of their address. */
static enum pages
walk_i386(struct pages_walk *w, uint64_t table, bool large)
{
	uint64_t entry;

	if (!pages_entry(w, table + 4 * (w->addr >> 22), 4, &entry) ||
	    (entry & X86_PRESENT) == 0)
		return PAGES_UNMAPPED;
	if (large && (entry & X86_LARGE) != 0)
		return pages_found(
		    w, (entry & 0xffc00000) | (entry >> 13 & 0xff) << 32, 22);
	table = entry & 0xfffff000;
	if (!pages_entry(w, table + 4 * (w->addr >> 12 & 1023), 4, &entry) ||
	    (entry & X86_PRESENT) == 0)
		return PAGES_UNMAPPED;
	return pages_found(w, entry & 0xfffff000, 12);
}

static enum pages
place_x86(const struct paging *p, struct pages_walk *w)
{
	const uint64_t cr3 = p->reg[PAGING_LOW], cr4 = p->reg[PAGING_HIGH];
	uint64_t entry;

	if ((p->reg[PAGING_FORM] & BIT(10)) != 0) { /* efer.lma */
		const unsigned bits = (cr4 & BIT(12)) != 0 ? 57 : 48;

		return is_extended(w->addr, bits - 1)
			   ? walk_x86(w, cr3 & X86_ADDRESS, bits)
			   : PAGES_UNMAPPED;
	}
	w->addr &= 0xffffffff;
	if ((p->reg[PAGING_ON] & BIT(31)) == 0)
		return pages_found(w, 0, 32);
	if ((cr4 & BIT(5)) == 0) /* not PAE */
		return walk_i386(w, cr3 & 0xfffff000, (cr4 & BIT(4)) != 0);
	if (!pages_entry(
		w, (cr3 & 0xffffffe0) + 8 * (w->addr >> 30), 8, &entry) ||
	    (entry & X86_PRESENT) == 0)
		return PAGES_UNMAPPED;
	return walk_x86(w, entry & X86_ADDRESS, 30);
}

/* Readable, or executable: a page; else a table. */
#define RISCV_VALID BIT(0)
#define RISCV_READ BIT(1)
#define RISCV_WRITE BIT(2)
#define RISCV_RUN BIT(3)

static enum pages
walk_riscv(
    struct pages_walk *w, uint64_t table, unsigned levels, unsigned bytes)
{
	const unsigned index = bytes == 8 ? 9 : 10;
	unsigned bit = 12 + levels * index;
	uint64_t entry;

	while (bit > 12) {
		bit -= index;
		if (!pages_entry(w,
			table + bytes * (w->addr >> bit & (BIT(index) - 1)),
			bytes, &entry) ||
		    (entry & RISCV_VALID) == 0)
			return PAGES_UNMAPPED;
		table = entry << 10 >> 20 << 12;
		if ((entry & (RISCV_READ | RISCV_RUN)) != 0) {
			/* its number, 64 kB of pages at once */
			if (bytes == 8 && entry >> 63 && bit == 12)
				bit = 16;
			return bit != 16 && (table & (BIT(bit) - 1)) != 0
				   ? PAGES_UNMAPPED
				   : pages_found(w, table, bit);
		}
		if ((entry & RISCV_WRITE) != 0)
			return PAGES_UNMAPPED;
	}
	return PAGES_UNMAPPED;
}

static enum pages
place_riscv(const struct paging *p, struct pages_walk *w, bool wide)
{
	const uint64_t satp = p->reg[PAGING_LOW];
	const unsigned mode = (unsigned)(satp >> 60);

	if (p->reg[PAGING_OUTER] != 0)
		return PAGES_UNKNOWN;
	if (!wide)
		return (satp >> 31 & 1) == 0
			   ? pages_found(w, 0, 32)
			   : walk_riscv(w, (satp & (BIT(22) - 1)) << 12, 2, 4);
	if (mode == 0)
		return pages_found(w, 0, 63);
	if (mode < 8 || mode > 10)
		return PAGES_UNKNOWN;
	if (!is_extended(w->addr, 12 + 9 * (mode - 5) - 1))
		return PAGES_UNMAPPED;
	return walk_riscv(w, satp << 20 >> 20 << 12, mode - 5, 8);
}

static enum pages
place(enum unwind_arch arch, const struct paging *p, struct pages_walk *w)
{
	static const unsigned needs[UNWIND_ARCHS] = {
	    [UNWIND_X86_64] = BIT(PAGING_ON) | BIT(PAGING_LOW) |
			      BIT(PAGING_HIGH) | BIT(PAGING_FORM),
	    [UNWIND_I386] = BIT(PAGING_ON) | BIT(PAGING_LOW) | BIT(PAGING_HIGH),
	    [UNWIND_AARCH64] = BIT(PAGING_ON) | BIT(PAGING_LOW) |
			       BIT(PAGING_HIGH) | BIT(PAGING_FORM) |
			       BIT(PAGING_STATUS),
	    [UNWIND_ARM] = BIT(PAGING_ON) | BIT(PAGING_LOW) | BIT(PAGING_HIGH) |
			   BIT(PAGING_FORM) | BIT(PAGING_STATUS),
	    [UNWIND_RISCV32] = BIT(PAGING_LOW),
	    [UNWIND_RISCV64] = BIT(PAGING_LOW),
	};

	if (needs[arch] == 0 || (needs[arch] & ~p->seen) != 0)
		return PAGES_UNKNOWN;
	if (unwind_abis[arch].word == 4)
		w->addr &= 0xffffffff;
	switch (arch) {
	case UNWIND_AARCH64:
		return pages_aarch64(p, w);
	case UNWIND_ARM:
		return pages_arm(p, w);
	case UNWIND_RISCV32:
	case UNWIND_RISCV64:
		return place_riscv(p, w, arch == UNWIND_RISCV64);
	default:
		return place_x86(p, w);
	}
}

enum pages
pages_place(enum unwind_arch arch, const struct paging *p, uint64_t addr,
    pages_read *read, void *arg, uint64_t *at)
{
	struct pages_walk w = {addr, read, arg, 0};
	const enum pages result = place(arch, p, &w);

	*at = w.at;
	return result;
}
