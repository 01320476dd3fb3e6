/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: the call frame information of one ELF file
 * (.eh_frame, .debug_frame). Format: "Call Frame Information" of the DWARF
 * standard.
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

#endif
