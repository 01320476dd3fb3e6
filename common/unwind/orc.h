/* SPDX-License-Identifier: ISC */
/*
 * Linux' own unwind tables for x86_64 (.orc_unwind, .orc_unwind_ip): where the
 * caller's stack pointer and frame pointer are, for every instruction of the
 * kernel, assembler and interrupt entries included.
 *
 * Format: arch/x86/include/asm/orc_types.h. Entry i of the first section
 * belongs to the code from the address that word i of the second has, as a
 * distance from the word itself; the code ends where the next entry begins.
 * The bits of an entry moved in Linux 6.3 and 6.4.
 */
#ifndef ORC_H
#define ORC_H

#include <stddef.h>
#include <stdint.h>
#include "unwind/unwind.h"

struct orc;

/* The contents of the sections. header: 20 bytes, not there before 6.4. */
struct orc_sections {
	const uint8_t *ip, *entry, *header;
	size_t ip_len, entry_len, header_len;
	uint64_t ip_addr;
};

/* NULL when there are none, or none that are known. Nothing of s is kept. */
struct orc *orc_new(const struct orc_sections *s);
void orc_free(struct orc *o);

/* What an entry is for. */
enum orc_type {
	ORC_UNDEFINED, /* nothing is known here */
	ORC_END,       /* nobody called this */
	ORC_CALL,      /* a function: its return address is below the CFA */
	ORC_REGS,      /* all registers of what was interrupted are there */
	ORC_PARTIAL    /* those that the processor pushes */
};

struct orc_row {
	enum orc_type type;
	bool signal; /* the caller was interrupted */
	uint8_t sp_reg, bp_reg;
	int16_t sp_off, bp_off;
};

/* The row for an address; type ORC_UNDEFINED outside of all tables. */
struct orc_row orc_row(const struct orc *o, uint64_t addr);

enum orc_step {
	ORC_STEPPED,
	ORC_SWITCHED, /* the same, and the stack may be another */
	ORC_MEMORY,   /* a word cannot be read: at *bad */
	ORC_LOST,     /* a register that is needed is not known */
	ORC_BAD	      /* no such row */
};

/*
 * Replaces the registers by the caller's, for the three types that have one;
 * *known has a bit for each register whose value is known.
 */
enum orc_step orc_step(const struct orc_row *row, struct unwind_regs *regs,
    uint64_t *known, unwind_read *read, void *arg, uint64_t *bad);

#endif
