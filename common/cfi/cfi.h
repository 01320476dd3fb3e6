/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: the tables of one ELF file that tell where callers
 * are: call frame information (.eh_frame, .debug_frame), whose format is "Call
 * Frame Information" of the DWARF standard, and Linux' own.
 */
#ifndef KST_CFI_H
#define KST_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/caller.h"

struct Elf; /* libelf's */
struct cfi;

/* For a file that stays open longer. Never NULL, though it may be empty. */
struct cfi *cfi_new(struct Elf *elf, const struct unwind_abi *abi);
void cfi_free(struct cfi *u);

/* Whether the file has any. */
bool cfi_any(const struct cfi *u);

/*
 * The caller at an address of the code; NULL when nothing covers the address,
 * or what does makes no sense: then *bad is set. Valid until the next call.
 */
const struct caller *cfi_find(struct cfi *u, uint64_t addr, bool *bad);

/* Operations of an expression; those of more are not run. */
enum { EXPR_OPS = 256 };

/* What an expression may use. */
struct expr_env {
	const struct unwind_abi *abi;
	const struct unwind_regs *regs;
	uint64_t cfa, bias;
	unwind_read *read;
	void *arg;
	uint64_t *bad; /* address of a word that could not be read */
};

enum expr_result { EXPR_OK, EXPR_MEMORY, EXPR_BAD };

/*
 * Evaluates the expression of a caller's register, or of its CFA for CFI_CFA:
 * the value on top at the end; for a place (no DW_OP_stack_value at its end)
 * that begins with the CFA, the word there.
 */
enum { CFI_CFA = -1 };
enum expr_result cfi_eval(const struct caller *c, int reg,
    const struct expr_env *env, uint64_t *value);

/* Linux' tables, in orc.c -------------------------------------------------- */

/*
 * Linux' own unwind tables for x86_64 (.orc_unwind, .orc_unwind_ip): where the
 * caller's stack pointer and frame pointer are, for every instruction of the
 * kernel, assembler and interrupt entries included.
 *
 * Format: arch/x86/include/asm/orc_types.h. Entry i of the first section
 * belongs to the code from the address that word i of the second has, as a
 * distance from the word itself; the code ends where the next entry begins.
 * The bits of an entry moved in Linux 6.3 and 6.4; 7.2 numbers its registers
 * anew. The entries themselves tell.
 */
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
