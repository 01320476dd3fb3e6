/* SPDX-License-Identifier: ISC */
/*
 * Finds callers in an ELF file's tables: call frame information (.eh_frame and
 * .debug_frame, see "Call Frame Information" in the DWARF standard), or Linux'
 * own. For common/unwind alone.
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
 * NULL if nothing covers the address, or if what covers it makes no sense: *bad
 * tells which.
 */
const struct caller *cfi_find(struct cfi *u, uint64_t addr, bool *bad);

/* The most operations of an expression; one with more is not run. */
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
 * Evaluates the expression of a caller's register, or with CFI_CFA that of its
 * CFA. *value is what is on top of the stack at the end. An expression that
 * begins with the CFA and does not end with DW_OP_stack_value is an address:
 * *value is the word there.
 */
enum { CFI_CFA = -1 };
enum expr_result cfi_eval(const struct caller *c, int reg,
    const struct expr_env *env, uint64_t *value);

/* Linux' tables, in orc.c -------------------------------------------------- */

/*
 * Finds callers in Linux' own unwind tables for x86_64 (.orc_unwind and
 * .orc_unwind_ip). They tell where the caller's stack pointer and frame pointer
 * are for every instruction of the kernel, also in assembler and in interrupt
 * entries.
 *
 * Format: arch/x86/include/asm/orc_types.h. Word i of .orc_unwind_ip is the
 * address where the code of entry i of .orc_unwind begins, as a distance from
 * the word itself. That code ends where the next entry's begins. The bits of an
 * entry moved in Linux 6.3 and 6.4, and 7.2 numbers its registers anew; which
 * version it is shows in the entries themselves.
 */
struct orc;

/* The contents of the sections. */
struct orc_sections {
	const uint8_t *ip, *entry;
	size_t ip_len, entry_len;
	uint64_t ip_addr;
};

/* Copies what it keeps. NULL: no tables, or tables of an unknown version. */
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
