/* SPDX-License-Identifier: ISC */
/*
 * Tells where the registers of a frame's caller are. The rules come from an ELF
 * file's tables, OS files, the code of an interrupt's entry, or the frame
 * pointer. As in call frame information, places count from the CFA, which is
 * also the caller's stack pointer unless a rule gives another one.
 */
#ifndef KST_CALLER_H
#define KST_CALLER_H

#include "cfi/regs.h"

enum caller_how {
	CALLER_AT,    /* the word at CFA + off, */
	CALLER_AT_FP, /* or at the frame pointer + off */
	CALLER_VALUE, /* CFA + off */
	CALLER_REG,   /* the value of register number off */
	CALLER_IS,    /* off itself */
	CALLER_LOST,  /* not known */
	CALLER_EXPR   /* by an expression: cfi_eval() */
};

/* The number of a status register, which tells the caller's mode. */
enum { CALLER_STATUS = UNWIND_REGS };

struct caller_rule {
	uint8_t reg, how;
	int64_t off;
};

struct caller {
	enum { CFA_REG, CFA_WORD, CFA_SUM, CFA_SUM_WORD, CFA_EXPR } cfa;
	uint8_t cfa_reg;
	int64_t word;	  /* CFA_WORD: the word at cfa_reg + word, plus: */
	int64_t cfa_off;  /* after the register; CFA_SUM: and after it, too, */
	uint8_t plus;	  /* register number plus; CFA_SUM_WORD: that word */
	uint64_t keep;	  /* a bit for each register that keeps its value, or is
			     the CFA */
	bool interrupted; /* the caller did not call */
	bool signal;	  /* call frame information says so */
	bool switched;	  /* the caller may have another stack */
	bool own_sp;	  /* in user mode, sp is by this rule: */
	struct caller_rule user_sp;
	struct Dwarf_Frame_s *frame; /* libdw's, with the expressions */
	uint8_t n;
	struct caller_rule rule[UNWIND_REGS + 8];
};

static inline void
caller_init(struct caller *c, uint8_t reg, int64_t off)
{
	c->cfa = CFA_REG;
	c->cfa_reg = reg;
	c->cfa_off = off;
	c->keep = UINT64_MAX;
	c->interrupted = c->signal = c->switched = c->own_sp = false;
	c->n = 0;
}

/* If a register has several rules, the last one counts. */
static inline void
caller_add(struct caller *c, unsigned reg, enum caller_how how, int64_t off)
{
	c->rule[c->n++] = (struct caller_rule){(uint8_t)reg, (uint8_t)how, off};
}

/* The rule of a register; NULL: none. */
static inline const struct caller_rule *
caller_find(const struct caller *c, unsigned reg)
{
	for (unsigned i = 0; i < c->n; i++)
		if (c->rule[i].reg == reg)
			return &c->rule[i];
	return NULL;
}

#endif
