/* SPDX-License-Identifier: ISC */
/*
 * The expressions of call frame information (DWARF 5, section 2.5): a stack
 * machine over 64-bit words, which holds those of 32 bits too.
 */
#ifndef UNWIND_EXPR_H
#define UNWIND_EXPR_H

#include <stddef.h>
#include <stdint.h>
#include "unwind/unwind_cfi.h"

enum { UEXPR_OPS = 256 };

/* As libdw decodes it: a branch's number is the byte offset it goes to. */
struct uexpr_op {
	uint8_t atom;
	uint64_t number, number2, offset;
};

struct uexpr {
	struct uexpr_op *op;
	size_t n;
};

/*
 * The value that is on top at the end; for a place (no DW_OP_stack_value at
 * its end) that begins with the CFA, the word that is there.
 */
enum uexpr_result uexpr_run(const struct uexpr *x, const struct unwind_abi *abi,
    const struct uexpr_env *env, uint64_t *value);

#endif
