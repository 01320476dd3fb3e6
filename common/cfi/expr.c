/* SPDX-License-Identifier: ISC */
/*
 * The expressions of call frame information (DWARF 5, section 2.5): a stack
 * machine over 64-bit words, which holds those of 32 bits too. Types, pieces
 * and calls have no place there.
 */
#include "cfi/cfi.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>

#include "base/xalloc.h"

enum { DEPTH = 64, STEPS = 4096 };

struct machine {
	const struct expr_env *env;
	uint64_t v[DEPTH];
	size_t n;
	enum expr_result end; /* EXPR_OK: it goes on */
};

static void
push(struct machine *m, uint64_t v)
{
	if (m->n == DEPTH)
		m->end = EXPR_BAD;
	else
		m->v[m->n++] = v;
}

static uint64_t
pop(struct machine *m)
{
	if (m->n > 0)
		return m->v[--m->n];
	m->end = EXPR_BAD;
	return 0;
}

/* Pushes the value that is i below the top once more. */
static void
pick(struct machine *m, uint64_t i)
{
	if (i < m->n)
		push(m, m->v[m->n - 1 - i]);
	else
		m->end = EXPR_BAD;
}

static void
push_reg(struct machine *m, uint64_t reg, uint64_t off)
{
	if (reg < m->env->abi->n)
		push(m, m->env->regs->r[reg] + off);
	else
		m->end = EXPR_BAD;
}

/* Replaces the address on top by `size` bytes of the word there. */
static void
load(struct machine *m, uint64_t size)
{
	const uint64_t addr = pop(m);
	uint64_t word;

	if (size == 0 || size > 8)
		m->end = EXPR_BAD;
	if (m->end != EXPR_OK)
		return;
	if (m->env->read(m->env->arg, addr, &word) != 0) {
		*m->env->bad = addr;
		m->end = EXPR_MEMORY;
		return;
	}
	push(m, size < 8 ? word & ((1ULL << 8 * size) - 1) : word);
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

/* An operation of two values, the second one on top. */
static void
binary(struct machine *m, uint8_t atom)
{
	const uint64_t b = pop(m), a = pop(m);

	if ((atom == DW_OP_div || atom == DW_OP_mod) && b == 0)
		m->end = EXPR_BAD;
	if (atom == DW_OP_div && a == (uint64_t)INT64_MIN && b + 1 == 0)
		m->end = EXPR_BAD;
	if (m->end == EXPR_OK)
		push(m, arithmetic(atom, a, b));
}

static void
exchange(struct machine *m)
{
	const uint64_t b = pop(m), a = pop(m);

	push(m, b);
	push(m, a);
}

static uint64_t
magnitude(uint64_t v)
{
	return (int64_t)v < 0 ? -v : v;
}

static void
run_op(struct machine *m, const Dwarf_Op *op)
{
	const uint8_t a = op->atom;

	if (a >= DW_OP_lit0 && a <= DW_OP_lit31)
		push(m, (uint64_t)(a - DW_OP_lit0));
	else if (a >= DW_OP_breg0 && a <= DW_OP_breg31)
		push_reg(m, (uint64_t)(a - DW_OP_breg0), op->number);
	else if (a >= DW_OP_const1u && a <= DW_OP_consts)
		push(m, op->number);
	else if (a == DW_OP_addr)
		push(m, op->number + m->env->bias);
	else if (a == DW_OP_bregx)
		push_reg(m, op->number, op->number2);
	else if (a == DW_OP_call_frame_cfa)
		push(m, m->env->cfa);
	else if (a == DW_OP_deref)
		load(m, m->env->abi->word);
	else if (a == DW_OP_deref_size)
		load(m, op->number);
	else if (a == DW_OP_dup || a == DW_OP_over || a == DW_OP_pick)
		pick(m, a == DW_OP_pick ? op->number : a == DW_OP_over);
	else if (a == DW_OP_drop)
		pop(m);
	else if (a == DW_OP_swap)
		exchange(m);
	else if (a == DW_OP_neg || a == DW_OP_not)
		push(m, (a == DW_OP_neg) + ~pop(m));
	else if (a == DW_OP_plus_uconst)
		push(m, pop(m) + op->number);
	else if (a == DW_OP_abs)
		push(m, magnitude(pop(m)));
	else if (a >= DW_OP_and && a <= DW_OP_ne)
		binary(m, a);
	else if (a != DW_OP_nop)
		m->end = EXPR_BAD;
}

/*
 * Goes to the operation at a byte offset, or past the last one. libdw may
 * have put a DW_OP_call_frame_cfa of offset -1 before them.
 */
static size_t
jump(struct machine *m, const Dwarf_Op *op, size_t n, uint64_t offset)
{
	size_t i = 0;

	while (i < n && op[i].offset != offset)
		i++;
	if (i == n && offset <= op[n - 1].offset)
		m->end = EXPR_BAD;
	return i;
}

/* Runs n operations as libdw decodes them: a branch has a byte offset. */
static enum expr_result
run(const Dwarf_Op *op, size_t n, const struct expr_env *env, uint64_t *value)
{
	struct machine m = {.env = env};
	bool place = n && op[0].atom == DW_OP_call_frame_cfa;

	for (size_t i = 0, steps = 0; i < n && m.end == EXPR_OK; steps++) {
		const Dwarf_Op *o = &op[i++];

		if (steps == STEPS)
			return EXPR_BAD;
		if (o->atom == DW_OP_stack_value)
			place = false;
		else if (o->atom == DW_OP_skip ||
			 (o->atom == DW_OP_bra && pop(&m) != 0))
			i = jump(&m, op, n, o->number);
		else if (o->atom != DW_OP_bra)
			run_op(&m, o);
	}
	if (place && m.end == EXPR_OK)
		load(&m, env->abi->word);
	if (m.end == EXPR_OK)
		*value = pop(&m);
	return m.end;
}

enum expr_result
cfi_eval(const struct caller *c, int reg, const struct expr_env *env,
    uint64_t *value)
{
	Dwarf_Op mem[3], *ops;
	size_t n;

	errno = 0;
	if (reg == CFI_CFA
		? dwarf_frame_cfa(c->frame, &ops, &n) != 0
		: dwarf_frame_register(c->frame, reg, mem, &ops, &n)) {
		xalloc_check();
		return EXPR_BAD;
	}
	return run(ops, n, env, value);
}
