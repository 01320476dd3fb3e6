/* SPDX-License-Identifier: ISC */
/*
 * Walks the page tables of a processor: x86 (32 bits, PAE, 4 and 5 levels),
 * aarch64 (granules of 4, 16 and 64 kB), arm (short and long descriptors) and
 * riscv (Sv32 to Sv57), with the registers that a stub or a monitor gives.
 */
#ifndef PAGES_H
#define PAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/num.h"
#include "unwind/unwind.h"

/* The smallest page of these processors, of those that kernels still use. */
enum { PAGES_SIZE = 4096 };

enum paging_reg {
	PAGING_ON,     /* cr0; SCTLR */
	PAGING_LOW,    /* cr3; TTBR0; satp */
	PAGING_HIGH,   /* cr4; TTBR1 */
	PAGING_FORM,   /* efer; TCR, TTBCR */
	PAGING_OUTER,  /* HCR_EL2, SCR, hgatp: what is around the kernel */
	PAGING_STATUS, /* cpsr */
	PAGING_REGS
};

/* Those of one CPU. */
struct paging {
	uint64_t reg[PAGING_REGS];
	unsigned seen; /* a bit for each that is known */
};

static inline void
paging_set(struct paging *p, enum paging_reg which, uint64_t value)
{
	p->reg[which] = value;
	p->seen |= 1u << which;
}

/* Reads n bytes of physical memory. -1: they cannot be read. */
typedef int pages_read(void *arg, uint64_t at, void *to, size_t n);

/*
 * An address was found; is not mapped; or cannot be walked, for lack of
 * registers.
 */
enum pages { PAGES_FOUND, PAGES_UNMAPPED, PAGES_UNKNOWN };

/*
 * Where an address is in physical memory, as the CPU sees it in its kernel or
 * in a process. *at is the place of one byte; the bytes up to the page's end
 * follow it.
 */
enum pages pages_place(enum unwind_arch arch, const struct paging *p,
    uint64_t addr, pages_read *read, void *arg, uint64_t *at);

/* Private to the room: one walk. */

struct pages_walk {
	uint64_t addr;
	pages_read *read;
	void *arg;
	uint64_t at; /* what is found */
};

/* Reads an entry of a table, of 4 or 8 bytes. False if it cannot be read. */
static inline bool
pages_entry(
    const struct pages_walk *w, uint64_t at, unsigned bytes, uint64_t *entry)
{
	uint8_t b[8];

	if (w->read(w->arg, at, b, bytes) != 0)
		return false;
	*entry = uint_load(b, bytes, false);
	return true;
}

/* Sets w->at: the address's lowest bits, and the others. */
static inline enum pages
pages_found(struct pages_walk *w, uint64_t base, unsigned bits)
{
	const uint64_t low = (UINT64_C(1) << bits) - 1;

	w->at = (base & ~low) | (w->addr & low);
	return PAGES_FOUND;
}

#endif
