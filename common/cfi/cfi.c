/* SPDX-License-Identifier: ISC */
/*
 * libdw decodes the sections. What it says is kept by address, since the same
 * return addresses come again and again.
 */
#include "cfi/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "set/hash.h"
#include "base/port.h"
#include "base/xalloc.h"

enum { ROWS = PORT_LIMIT(1 << 14, 1 << 6) };

struct known_row {
	uint64_t addr;
	enum { EMPTY, NONE, BAD, ROW } kind;
	struct caller *row;
};

struct cfi {
	const struct unwind_abi *abi;
	Dwarf *dwarf;
	Dwarf_CFI *cfi[2];	 /* .eh_frame, .debug_frame */
	struct known_row *cache; /* ROWS of them, open addressing */
	size_t n_row;
};

struct cfi *
cfi_new(struct Elf *elf, const struct unwind_abi *abi)
{
	struct cfi *u = xcalloc(1, sizeof *u);
	Dwarf_Frame *frame;

	u->abi = abi;
	u->cache = xcalloc(ROWS, sizeof *u->cache);
	errno = 0;
	u->cfi[0] = dwarf_getcfi_elf(elf);
	xalloc_check(); /* later calls set errno anew */
	u->dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	xalloc_check();
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
cfi_any(const struct cfi *u)
{
	return u->cfi[0] != NULL || u->cfi[1] != NULL;
}

static void
forget_rows(struct cfi *u)
{
	for (size_t i = 0; i < ROWS; i++) {
		if (u->cache[i].row != NULL)
			free(u->cache[i].row->frame);
		free(u->cache[i].row);
		u->cache[i] = (struct known_row){0};
	}
	u->n_row = 0;
}

void
cfi_free(struct cfi *u)
{
	if (u == NULL)
		return;
	forget_rows(u);
	free(u->cache);
	if (u->cfi[0] != NULL)
		dwarf_cfi_end(u->cfi[0]);
	if (u->dwarf != NULL)
		dwarf_end(u->dwarf);
	free(u);
}

static int
row_cfa(const struct cfi *u, struct caller *c, Dwarf_Frame *frame)
{
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) != 0 || n == 0 || n > EXPR_OPS)
		return -1;
	if (n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < u->abi->n) {
		caller_init(c, (uint8_t)ops[0].number, (int64_t)ops[0].number2);
		return 0;
	}
	caller_init(c, 0, 0);
	c->cfa = CFA_EXPR;
	c->frame = frame;
	return 0;
}

/* CFA, CFA + n, either as a place or as a value, and a register are simple. */
static int
row_rule(
    const struct cfi *u, struct caller_rule *r, const Dwarf_Op *ops, size_t n)
{
	bool value = n > 1 && ops[n - 1].atom == DW_OP_stack_value;
	size_t m = value ? n - 1 : n;

	if (ops[0].atom == DW_OP_call_frame_cfa &&
	    (m == 1 || (m == 2 && ops[1].atom == DW_OP_plus_uconst))) {
		r->how = value ? CALLER_VALUE : CALLER_AT;
		r->off = m == 2 ? (int64_t)ops[1].number : 0;
		return 0;
	}
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg31) {
		r->how = CALLER_REG;
		r->off = ops[0].atom - DW_OP_reg0;
		return r->off < u->abi->n ? 0 : -1;
	}
	r->how = CALLER_EXPR;
	return n <= EXPR_OPS ? 0 : -1;
}

static int
row_fill(const struct cfi *u, struct caller *c, Dwarf_Frame *frame)
{
	Dwarf_Op mem[3], *ops;
	size_t n;
	bool signal;
	int ra = dwarf_frame_info(frame, NULL, NULL, &signal);

	if (ra != u->abi->ra || row_cfa(u, c, frame) != 0)
		return -1;
	c->signal = c->interrupted = signal;
	for (int reg = 0; reg < u->abi->n; reg++) {
		struct caller_rule *r = &c->rule[c->n];

		/* A pc of its own number has no rule. */
		if (reg == u->abi->pc && reg != ra)
			continue;
		if (dwarf_frame_register(frame, reg, mem, &ops, &n) != 0)
			return -1;
		if (n == 0 && ops == NULL)
			continue; /* unchanged */
		r->reg = (uint8_t)reg;
		if (n == 0)
			r->how = CALLER_LOST;
		else if (row_rule(u, r, ops, n) != 0)
			return -1;
		if (r->how == CALLER_EXPR)
			c->frame = frame;
		c->n++;
	}
	return 0;
}

static void
look_up(struct cfi *u, struct known_row *c)
{
	Dwarf_Frame *frame;

	c->kind = NONE;
	errno = 0;
	for (int i = 0; i < 2; i++) {
		if (u->cfi[i] == NULL ||
		    dwarf_cfi_addrframe(u->cfi[i], c->addr, &frame) != 0)
			continue;
		c->row = xcalloc(1, sizeof *c->row);
		c->kind = row_fill(u, c->row, frame) == 0 ? ROW : BAD;
		if (c->kind == BAD || c->row->frame == NULL)
			free(frame);
		xalloc_check();
		if (c->kind == ROW)
			return;
		free(c->row);
		c->row = NULL;
	}
	xalloc_check();
}

const struct caller *
cfi_find(struct cfi *u, uint64_t addr, bool *bad)
{
	uint64_t at = hash_bytes(&addr, sizeof addr);
	struct known_row *c;

	if (u->n_row > ROWS / 2)
		forget_rows(u);
	while ((c = &u->cache[at % ROWS])->kind != EMPTY && c->addr != addr)
		at++;
	if (c->kind == EMPTY) {
		c->addr = addr;
		u->n_row++;
		look_up(u, c);
	}
	*bad = c->kind == BAD;
	return c->row;
}
