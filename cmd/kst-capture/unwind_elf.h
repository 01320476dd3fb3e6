/* SPDX-License-Identifier: ISC */
/*
 * What the unwinder takes from one ELF file: the rules of its call frame
 * information, its code, and where its functions begin. All addresses are the
 * file's own.
 */
#ifndef UNWIND_ELF_H
#define UNWIND_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "unwind.h"

struct uelf;

/* Returns NULL with a reason in *why (static). */
struct uelf *uelf_open(
    const char *path, const struct unwind_abi *abi, const char **why);
void uelf_close(struct uelf *e);

/* The addresses that the file's loaded segments span. */
void uelf_span(const struct uelf *e, uint64_t *low, uint64_t *high);

/* Whether a loaded segment holds the address. */
bool uelf_holds(const struct uelf *e, uint64_t addr);

/* Bytes of the program from the file; returns how many there are, up to n. */
size_t uelf_bytes(const struct uelf *e, uint64_t addr, uint8_t *to, size_t n);

/* Where the function that holds the address begins; 0 when not known. */
uint64_t uelf_function(const struct uelf *e, uint64_t addr);

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
const struct urow *uelf_row(struct uelf *e, uint64_t addr, bool *bad);

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
enum uexpr_result uelf_eval(const struct uelf *e, int64_t expr,
    const struct uexpr_env *env, uint64_t *value);

#endif
