/* SPDX-License-Identifier: ISC */
/*
 * Knows libdw: reads call frame information into rows and keeps the rows by
 * address, since the same return addresses come again and again.
 */
#include "unwind/unwind_cfi.h"
#include <elfutils/libdw.h>
#include <stdlib.h>
#include <string.h>
#include "unwind/dwop.h"
#include "base/hash.h"
#include "unwind/unwind_expr.h"
#include "base/xalloc.h"

enum { ROWS = 1 << 14, PROBES = 8, EXPRS = 4096 };

struct entry {
	uint64_t addr;
	enum { EMPTY, NONE, BAD, ROW } kind;
	struct urow *row;
};

struct ucfi {
	const struct unwind_abi *abi;
	Dwarf *dwarf;
	Dwarf_CFI *cfi[2];   /* .eh_frame, .debug_frame */
	struct entry *cache; /* ROWS of them, open addressing */
	struct uexpr *expr;
	size_t n_expr;
};

struct ucfi *
ucfi_new(struct Elf *elf, const struct unwind_abi *abi)
{
	struct ucfi *u = xcalloc(1, sizeof *u);
	Dwarf_Frame *frame;

	u->abi = abi;
	u->cache = xcalloc(ROWS, sizeof *u->cache);
	u->cfi[0] = dwarf_getcfi_elf(elf);
	u->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (u->dwarf != NULL)
		u->cfi[1] = dwarf_getcfi(u->dwarf);
	/* A search that fails reads all: not for the first time in a stop. */
	for (int i = 0; i < 2; i++)
		if (u->cfi[i] != NULL &&
		    dwarf_cfi_addrframe(u->cfi[i], UINT64_MAX, &frame) == 0)
			free(frame);
	return u;
}

bool
ucfi_any(const struct ucfi *u)
{
	return u->cfi[0] != NULL || u->cfi[1] != NULL;
}

static void
forget_rows(struct ucfi *u)
{
	for (size_t i = 0; i < ROWS; i++) {
		free(u->cache[i].row);
		u->cache[i] = (struct entry){0};
	}
	for (size_t i = 0; i < u->n_expr; i++)
		free(u->expr[i].op);
	u->n_expr = 0;
}

void
ucfi_free(struct ucfi *u)
{
	if (u == NULL)
		return;
	forget_rows(u);
	free(u->cache);
	free(u->expr);
	if (u->cfi[0] != NULL)
		dwarf_cfi_end(u->cfi[0]);
	if (u->dwarf != NULL)
		dwarf_end(u->dwarf);
	free(u);
}

/* An expression that has no simple form is kept; returns its number. */
static int64_t
keep_expr(struct ucfi *u, const Dwarf_Op *ops, size_t n)
{
	struct uexpr *x;

	if (n > UEXPR_OPS || u->n_expr >= EXPRS)
		return -1;
	if (u->expr == NULL)
		u->expr = xcalloc(EXPRS, sizeof *u->expr);
	x = &u->expr[u->n_expr];
	x->n = n;
	x->op = xcalloc(n ? n : 1, sizeof *x->op);
	for (size_t i = 0; i < n; i++)
		x->op[i] = (struct uexpr_op){
		    ops[i].atom, ops[i].number, ops[i].number2, ops[i].offset};
	return (int64_t)u->n_expr++;
}

static int
row_cfa(struct ucfi *u, struct urow *row, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) != 0 || n == 0)
		return -1;
	if (n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < u->abi->n) {
		row->cfa_reg = (uint8_t)ops[0].number;
		row->cfa_off = (int64_t)ops[0].number2;
		return 0;
	}
	row->by_expr = true;
	row->cfa_off = keep_expr(u, ops, n);
	return row->cfa_off < 0 ? -1 : 0;
}

/* CFA, CFA + n, either as a place or as a value, and a register are simple. */
static int
row_rule(struct ucfi *u, struct rule *r, const Dwarf_Op *ops, size_t n)
{
	bool value = n > 1 && ops[n - 1].atom == DW_OP_stack_value;
	size_t m = value ? n - 1 : n;

	if (ops[0].atom == DW_OP_call_frame_cfa &&
	    (m == 1 || (m == 2 && ops[1].atom == DW_OP_plus_uconst))) {
		r->how = value ? RULE_VALUE : RULE_AT;
		r->off = m == 2 ? (int64_t)ops[1].number : 0;
		return 0;
	}
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		r->how = RULE_REG;
		r->off = ops[0].atom - DW_OP_reg0;
		return r->off < u->abi->n ? 0 : -1;
	}
	r->how = RULE_EXPR;
	r->off = keep_expr(u, ops, n);
	return r->off < 0 ? -1 : 0;
}

static int
row_fill(struct ucfi *u, struct urow *row, Dwarf_Frame *frame)
{
	Dwarf_Op mem[3], *ops;
	size_t n;
	int ra = dwarf_frame_info(frame, NULL, NULL, &row->signal);

	if (ra != u->abi->ra || row_cfa(u, row, frame) != 0)
		return -1;
	for (int reg = 0; reg < u->abi->n; reg++) {
		struct rule *r = &row->rule[row->n];

		/* A pc of its own number has no rule. */
		if (reg == u->abi->pc && reg != ra)
			continue;
		if (dwarf_frame_register(frame, reg, mem, &ops, &n) != 0)
			return -1;
		if (n == 0 && ops == NULL)
			continue; /* unchanged */
		r->reg = (uint8_t)reg;
		if (n == 0)
			r->how = RULE_LOST;
		else if (row_rule(u, r, ops, n) != 0)
			return -1;
		row->n++;
	}
	return 0;
}

static void
look_up(struct ucfi *u, struct entry *c)
{
	Dwarf_Frame *frame;
	struct urow row;

	c->kind = NONE;
	for (int i = 0; i < 2; i++) {
		if (u->cfi[i] == NULL ||
		    dwarf_cfi_addrframe(u->cfi[i], c->addr, &frame) != 0)
			continue;
		memset(&row, 0, sizeof row);
		c->kind = row_fill(u, &row, frame) == 0 ? ROW : BAD;
		free(frame);
		if (c->kind == ROW) {
			size_t n = offsetof(struct urow, rule) +
				   row.n * sizeof row.rule[0];

			c->row = xmalloc(sizeof row);
			memcpy(c->row, &row, n);
			return;
		}
	}
}

const struct urow *
ucfi_row(struct ucfi *u, uint64_t addr, bool *bad)
{
	uint64_t h = hash_bytes(&addr, sizeof addr);
	struct entry *c = NULL;

	*bad = false;
	if (u->n_expr > EXPRS - UNWIND_REGS - 1)
		forget_rows(u);
	for (size_t i = 0; i < PROBES; i++) {
		c = &u->cache[(h + i) % ROWS];
		if (c->kind == EMPTY || c->addr == addr)
			break;
	}
	if (c->kind != EMPTY && c->addr != addr) {
		free(c->row);
		*c = (struct entry){0};
	}
	if (c->kind == EMPTY) {
		c->addr = addr;
		look_up(u, c);
	}
	*bad = c->kind == BAD;
	return c->row;
}

enum uexpr_result
ucfi_eval(const struct ucfi *u, int64_t expr, const struct uexpr_env *env,
    uint64_t *value)
{
	return uexpr_run(&u->expr[expr], u->abi, env, value);
}
