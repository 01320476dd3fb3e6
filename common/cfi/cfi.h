/* SPDX-License-Identifier: ISC */
/*
 * Finds callers by the tables of an ELF file: call frame information (.eh_frame
 * and .debug_frame, see "Call Frame Information" in the DWARF standard), or
 * Linux' own tables. Only common/unwind uses it.
 */
#ifndef KST_CFI_H
#define KST_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/caller.h"

struct Elf; /* libelf's */
struct cfi;

/*
 * Reads the call frame information of a file, which must stay open. Never
 * NULL: cfi_any() tells whether there is any.
 */
struct cfi *cfi_new(struct Elf *elf, const struct unwind_abi *abi);
void cfi_free(struct cfi *u);

bool cfi_any(const struct cfi *u);

/*
 * Where the caller is at an address of the code, valid until the next call.
 * NULL if no entry covers the address, or if the entry makes no sense; *bad
 * says which.
 */
const struct caller *cfi_find(struct cfi *u, uint64_t addr, bool *bad);

/*
 * The most operations of an expression. A longer expression is not evaluated.
 */
enum { EXPR_OPS = 256 };

/* What an expression may use. */
struct expr_env {
	const struct unwind_abi *abi;
	const struct unwind_regs *regs;
	uint64_t cfa, bias;
	unwind_read *read;
	void *arg;
	uint64_t *bad; /* out: the address of a word that could not be read */
};

enum expr_result { EXPR_OK, EXPR_MEMORY, EXPR_BAD };

/*
 * Evaluates the expression of a caller's register, or, for CFI_CFA, that of its
 * CFA. *value is what is on top of the stack at the end. If an expression
 * begins with the CFA and does not end with DW_OP_stack_value, its result is an
 * address, and *value is the word there.
 */
enum { CFI_CFA = -1 };
enum expr_result cfi_eval(const struct caller *c, int reg,
    const struct expr_env *env, uint64_t *value);

/* Linux' tables, in orc.c -------------------------------------------------- */

/*
 * Finds callers in Linux' own unwind tables for x86_64 (.orc_unwind and
 * .orc_unwind_ip). For every instruction of the kernel, also in assembler and
 * in interrupt entries, they say where the caller's stack pointer and frame
 * pointer are.
 *
 * Format: arch/x86/include/asm/orc_types.h. Word i of .orc_unwind_ip is the
 * address where the code of entry i of .orc_unwind begins, as a distance from
 * the word itself. That code ends where the next entry's begins. The bits of an
 * entry moved in Linux 6.3 and 6.4, and Linux 7.2 numbers its registers anew.
 * The entries themselves show which version it is.
 */
struct orc;

/* The contents of the sections. */
struct orc_sections {
	const uint8_t *ip, *entry;
	size_t ip_len, entry_len;
	uint64_t ip_addr;
};

/*
 * Returns NULL if there are no tables, or tables of an unknown version. The
 * sections may be freed afterwards.
 */
struct orc *orc_new(const struct orc_sections *s);
void orc_free(struct orc *o);

enum orc_found {
	ORC_NONE, /* the tables do not cover the address */
	ORC_END,  /* a stack ends here: nobody called this code */
	ORC_CALLER,
	ORC_BAD /* the entry makes no sense */
};

/* Looks up an address of the code. With ORC_CALLER *c is the caller. */
enum orc_found orc_find(const struct orc *o, uint64_t addr, struct caller *c);

#endif
