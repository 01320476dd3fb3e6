/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: the expressions of call frame information (DWARF 5,
 * section 2.5): a stack machine over 64-bit words, which holds those of 32 bits
 * too.
 */
#ifndef KST_EXPR_H
#define KST_EXPR_H

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/regs.h"

/* Operations of one expression; those of more are not run. */
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
 * Runs n operations as libdw decodes them: a branch's number is the byte offset
 * it goes to. The value on top at the end; for a place (no DW_OP_stack_value at
 * its end) that begins with the CFA, the word there.
 */
enum expr_result expr_run(
    const Dwarf_Op *op, size_t n, const struct expr_env *env, uint64_t *value);

#endif
