/* SPDX-License-Identifier: ISC */
/*
 * The call frame information of one ELF file (.eh_frame, .debug_frame), as
 * rows that say where the registers of the caller are. Format: "Call Frame
 * Information" of the DWARF standard.
 */
#ifndef UNWIND_CFI_H
#define UNWIND_CFI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "unwind/unwind.h"

struct Elf; /* libelf's */
struct ucfi;

/* Of a file that stays open longer. Never NULL: there may be no rows in it. */
struct ucfi *ucfi_new(struct Elf *elf, const struct unwind_abi *abi);
void ucfi_free(struct ucfi *u);

/* Whether there is any. */
bool ucfi_any(const struct ucfi *u);

/* How a register of the caller is found. */
enum rule_how {
	RULE_AT,    /* the word at CFA + off */
	RULE_VALUE, /* CFA + off */
	RULE_REG,   /* another register's value */
	RULE_LOST,  /* it is not to be had */
	RULE_EXPR   /* by expression number off */
};

struct rule {
	uint8_t reg, how;
	int64_t off; /* or register, or expression */
};

/* The state of the frame at an address. */
struct urow {
	bool signal;  /* the caller was interrupted, it did not call */
	bool by_expr; /* the CFA is expression number cfa_off */
	uint8_t cfa_reg, n;
	int64_t cfa_off;
	struct rule rule[UNWIND_REGS];
};

/*
 * The row for an address, NULL when no call frame information covers it (or
 * what is there makes no sense: *bad is set). Valid until the next call.
 */
const struct urow *ucfi_row(struct ucfi *u, uint64_t addr, bool *bad);

/* What an expression may use. */
struct uexpr_env {
	const struct unwind_regs *regs;
	uint64_t cfa, bias;
	unwind_read *read;
	void *arg;
	uint64_t *bad; /* address of a word that could not be read */
};

enum uexpr_result { UEXPR_OK, UEXPR_MEMORY, UEXPR_BAD };

/* Evaluates an expression of a row: the value, for a location its contents. */
enum uexpr_result ucfi_eval(const struct ucfi *u, int64_t expr,
    const struct uexpr_env *env, uint64_t *value);

#endif
