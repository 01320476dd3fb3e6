/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: Linux' own unwind tables for x86_64 (.orc_unwind,
 * .orc_unwind_ip): where the caller's stack pointer and frame pointer are, for
 * every instruction of the kernel, assembler and interrupt entries included.
 *
 * Format: arch/x86/include/asm/orc_types.h. Entry i of the first section
 * belongs to the code from the address that word i of the second has, as a
 * distance from the word itself; the code ends where the next entry begins.
 * The bits of an entry moved in Linux 6.3 and 6.4; 7.2 numbers its registers
 * anew. The entries themselves tell.
 */
#ifndef KST_ORC_H
#define KST_ORC_H

#include <stddef.h>
#include <stdint.h>

#include "cfi/caller.h"

struct orc;

/* The contents of the sections. */
struct orc_sections {
	const uint8_t *ip, *entry;
	size_t ip_len, entry_len;
	uint64_t ip_addr;
};

/* NULL when there are none, or of an unknown version. Copies all that it keeps.
 */
struct orc *orc_new(const struct orc_sections *s);
void orc_free(struct orc *o);

enum orc_found {
	ORC_NONE, /* the tables do not cover the address */
	ORC_END,  /* a stack ends here: nobody called this code */
	ORC_CALLER,
	ORC_BAD /* an entry that makes no sense */
};

/* Looks up an address of the code; gives the caller for ORC_CALLER. */
enum orc_found orc_find(const struct orc *o, uint64_t addr, struct caller *c);

#endif
