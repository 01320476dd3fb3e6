/* SPDX-License-Identifier: ISC */
/* Types, pieces and calls have no place in call frame information. */
#include "cfi/expr.h"

#include <dwarf.h>

enum { DEPTH = 64, STEPS = 4096 };

struct machine {
	const struct expr_env *env;
	uint64_t v[DEPTH];
	size_t n;
};

static enum expr_result
push(struct machine *m, uint64_t v)
{
	if (m->n == DEPTH)
		return EXPR_BAD;
	m->v[m->n++] = v;
	return EXPR_OK;
}

static enum expr_result
push_reg(struct machine *m, uint64_t reg, uint64_t off)
{
	if (reg >= m->env->abi->n)
		return EXPR_BAD;
	return push(m, m->env->regs->r[reg] + off);
}

static enum expr_result
load_word(struct machine *m, uint64_t size)
{
	uint64_t addr, word;

	if (m->n == 0 || size == 0 || size > 8)
		return EXPR_BAD;
	addr = m->v[m->n - 1];
	if (m->env->read(m->env->arg, addr, &word) != 0) {
		*m->env->bad = addr;
		return EXPR_MEMORY;
	}
	if (size < 8)
		word &= (1ULL << 8 * size) - 1;
	m->v[m->n - 1] = word;
	return EXPR_OK;
}

static enum expr_result
unary(struct machine *m, const struct expr_op *op)
{
	uint64_t *a;

	if (m->n < 1)
		return EXPR_BAD;
	a = &m->v[m->n - 1];
	switch (op->atom) {
	case DW_OP_abs:
		*a = (int64_t)*a < 0 ? -*a : *a;
		return EXPR_OK;
	case DW_OP_neg:
		*a = -*a;
		return EXPR_OK;
	case DW_OP_not:
		*a = ~*a;
		return EXPR_OK;
	case DW_OP_plus_uconst:
		*a += op->number;
		return EXPR_OK;
	case DW_OP_dup:
		return push(m, *a);
	case DW_OP_drop:
		m->n--;
		return EXPR_OK;
	case DW_OP_pick:
		if (op->number >= m->n)
			return EXPR_BAD;
		return push(m, m->v[m->n - 1 - op->number]);
	default:
		return EXPR_BAD;
	}
}

/* DW_OP_and to DW_OP_ne, whose divisions were checked. */
static uint64_t
arithmetic(uint8_t atom, uint64_t a, uint64_t b)
{
	int64_t sa = (int64_t)a, sb = (int64_t)b;

	switch (atom) {
	case DW_OP_and:
		return a & b;
	case DW_OP_or:
		return a | b;
	case DW_OP_xor:
		return a ^ b;
	case DW_OP_plus:
		return a + b;
	case DW_OP_minus:
		return a - b;
	case DW_OP_mul:
		return a * b;
	case DW_OP_div:
		return (uint64_t)(sa / sb);
	case DW_OP_mod:
		return a % b;
	case DW_OP_shl:
		return b < 64 ? a << b : 0;
	case DW_OP_shr:
		return b < 64 ? a >> b : 0;
	case DW_OP_shra:
		return b < 64 ? (uint64_t)(sa >> b) : (sa < 0 ? UINT64_MAX : 0);
	case DW_OP_eq:
		return a == b;
	case DW_OP_ne:
		return a != b;
	case DW_OP_lt:
		return sa < sb;
	case DW_OP_le:
		return sa <= sb;
	case DW_OP_gt:
		return sa > sb;
	default: /* DW_OP_ge */
		return sa >= sb;
	}
}

static enum expr_result
binary(struct machine *m, const struct expr_op *op)
{
	uint64_t a, b;

	if (m->n < 2)
		return EXPR_BAD;
	a = m->v[m->n - 2];
	b = m->v[m->n - 1];
	if (op->atom == DW_OP_over)
		return push(m, a);
	if (op->atom == DW_OP_swap) {
		m->v[m->n - 2] = b;
		m->v[m->n - 1] = a;
		return EXPR_OK;
	}
	if ((op->atom == DW_OP_div || op->atom == DW_OP_mod) && b == 0)
		return EXPR_BAD;
	if (op->atom == DW_OP_div && a == (uint64_t)INT64_MIN && b + 1 == 0)
		return EXPR_BAD;
	m->n--;
	m->v[m->n - 1] = arithmetic(op->atom, a, b);
	return EXPR_OK;
}

static enum expr_result
run_op(struct machine *m, const struct expr_op *op)
{
	uint8_t a = op->atom;

	if (a >= DW_OP_lit0 && a <= DW_OP_lit31)
		return push(m, (uint64_t)(a - DW_OP_lit0));
	if (a >= DW_OP_breg0 && a <= DW_OP_breg31)
		return push_reg(m, (uint64_t)(a - DW_OP_breg0), op->number);
	if (a >= DW_OP_const1u && a <= DW_OP_consts)
		return push(m, op->number);
	switch (a) {
	case DW_OP_addr:
		return push(m, op->number + m->env->bias);
	case DW_OP_bregx:
		return push_reg(m, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return push(m, m->env->cfa);
	case DW_OP_deref:
		return load_word(m, m->env->abi->word);
	case DW_OP_deref_size:
		return load_word(m, op->number);
	case DW_OP_nop:
		return EXPR_OK;
	case DW_OP_abs:
	case DW_OP_neg:
	case DW_OP_not:
	case DW_OP_plus_uconst:
	case DW_OP_dup:
	case DW_OP_drop:
	case DW_OP_pick:
		return unary(m, op);
	case DW_OP_over:
	case DW_OP_swap:
		return binary(m, op);
	default:
		return a >= DW_OP_and && a <= DW_OP_ne ? binary(m, op)
						       : EXPR_BAD;
	}
}

/* The operation at a byte offset; x->n for the end, SIZE_MAX for none. */
static size_t
target(const struct expr *x, uint64_t offset)
{
	for (size_t i = 0; i < x->n; i++)
		if (x->op[i].offset == offset)
			return i;
	return x->n && offset > x->op[x->n - 1].offset ? x->n : SIZE_MAX;
}

/* Whether a branch is taken; what it tests is popped. */
static enum expr_result
taken(struct machine *m, uint8_t atom, bool *yes)
{
	*yes = true;
	if (atom == DW_OP_bra) {
		if (m->n == 0)
			return EXPR_BAD;
		*yes = m->v[--m->n] != 0;
	}
	return EXPR_OK;
}

enum expr_result
expr_run(const struct expr *x, const struct expr_env *env, uint64_t *value)
{
	struct machine m = {.env = env};
	bool place = x->n && x->op[0].atom == DW_OP_call_frame_cfa;
	size_t i = 0;
	bool yes;

	for (int steps = 0; i < x->n; steps++) {
		const struct expr_op *op = &x->op[i++];
		enum expr_result r = EXPR_OK;

		if (steps == STEPS)
			return EXPR_BAD;
		if (op->atom == DW_OP_stack_value) {
			place = false;
		} else if (op->atom == DW_OP_skip || op->atom == DW_OP_bra) {
			r = taken(&m, op->atom, &yes);
			if (yes)
				i = target(x, op->number);
			if (i > x->n)
				return EXPR_BAD;
		} else {
			r = run_op(&m, op);
		}
		if (r != EXPR_OK)
			return r;
	}
	if (m.n == 0)
		return EXPR_BAD;
	if (place && load_word(&m, env->abi->word) != EXPR_OK)
		return EXPR_MEMORY;
	*value = m.v[m.n - 1];
	return EXPR_OK;
}
