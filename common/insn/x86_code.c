/* SPDX-License-Identifier: ISC */
/* What short pieces of x86 code tell: its ends, its beginnings and its calls.
 */
#include "insn/insn.h"

#include <stdbool.h>
#include <string.h>

#include "insn/x86_insn.h"

enum { WORD = 4, ALL = 8 * WORD, ALL_BP = 2 * WORD };

/*
 * Those of one byte, or with an address of 4 bytes, that x86_64 has not.
 * Returns the length; 0: it is another one.
 */
static size_t
short_insn(uint8_t c, struct x86_iret *s)
{
	switch (c) {
	case 0x06: /* push of a segment's register */
	case 0x0e:
	case 0x16:
	case 0x1e:
		s->up -= WORD;
		return 1;
	case 0x07: /* pop */
	case 0x17:
	case 0x1f:
		s->up += WORD;
		return 1;
	case 0x60: /* pusha, popa */
		s->up -= ALL;
		return 1;
	case 0x61:
		s->bp = s->up + ALL_BP;
		s->up += ALL;
		return 1;
	default:
		/* inc and dec, but of esp; mov between eax and an address */
		return (c & 0xf0) == 0x40 && (c & 7) != X86_SP ? 1
		       : (c & 0xfc) == 0xa0		       ? 5
							       : 0;
	}
}

/* add, sub and lea with esp. Returns false for another change of it. */
static bool
moves(const struct x86_insn *x, struct x86_iret *s)
{
	const bool to_rm = x->mod == X86_IS_REG && x->rm == X86_SP;

	switch (x->op) {
	case 0x81:
	case 0x83:
		if (to_rm && x->reg != 0 && x->reg != 5)
			return x->reg == 7; /* cmp */
		if (to_rm)
			s->up += x->reg == 0 ? x->imm : -x->imm;
		return true;
	case 0x8d:
		if (x->reg != X86_SP)
			return true;
		s->up += x->disp;
		return x->rm == X86_SP && x->index == X86_NONE;
	case 0x01: /* add, sub, mov, xchg: to a register, or to memory */
	case 0x29:
	case 0x89:
		return !to_rm;
	case 0x03:
	case 0x2b:
	case 0x8b:
		return x->reg != X86_SP;
	case 0x87:
		return !to_rm && x->reg != X86_SP;
	default:
		return true;
	}
}

/* push and pop. Returns false if the code does not go on as it is written. */
static bool
step(const struct x86_insn *x, struct x86_iret *s)
{
	switch (x->op) {
	case 0x68:
	case 0x6a:
	case 0x9c:
	case 0x1a0:
	case 0x1a8:
		s->up -= WORD;
		return true;
	case 0x8f:
	case 0x9d:
	case 0x1a1:
	case 0x1a9:
		s->up += WORD;
		return true;
	case 0xff: /* jmp; push */
		s->up -= x->reg == 6 ? WORD : 0;
		return x->reg != 4 && x->reg != 5;
	case 0x62: /* what they are in 32 bits has another length */
	case 0xc4:
	case 0xc5:
	case 0x200:
	case 0x94: /* xchg esp; mov esp */
	case 0xbc:
	case 0x9a: /* far calls and jumps, ret, leave, int3, hlt, ud2 */
	case 0xea:
	case 0xc2:
	case 0xc3:
	case 0xc8:
	case 0xc9:
	case 0xca:
	case 0xcb:
	case 0xcc:
	case 0xf4:
	case 0x10b:
		return false;
	default:
		return moves(x, s);
	}
}

enum x86_left
x86_iret(const uint8_t *p, size_t n, struct x86_iret *s)
{
	struct x86_insn x;
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		if (p[i] == 0xcf)
			return X86_IRET_FOUND;
		len = short_insn(p[i], s);
		if (len > 0)
			continue;
		if (x86_insn(p + i, n - i, &x) != 0)
			return X86_IRET_NONE;
		len = x.len;
		if (x.op == 0xe9 || x.op == 0xeb) {
			s->to = (int32_t)(i + len) + x.imm;
			return X86_IRET_JUMP;
		}
		if ((x.op & ~7u) == 0x50) {
			s->up -= WORD;
		} else if ((x.op & ~7u) == 0x58) {
			s->bp = x.reg == X86_BP ? s->up : s->bp;
			s->up += WORD;
			if (x.reg == X86_SP)
				return X86_IRET_NONE;
		} else if (!step(&x, s)) {
			return X86_IRET_NONE;
		}
	}
	return X86_IRET_NONE;
}

/* mov $STACK,%rsp; lea STACK(%rip),%rsp */
static bool
names_stack(const struct x86_insn *x)
{
	if (x->op == 0xc7)
		return x->mod == X86_IS_REG && x->rm == X86_SP;
	return x->reg == X86_SP &&
	       ((x->op & ~7u) == 0xb8 || (x->op == 0x8d && x->rm == X86_NONE &&
					     x->index == X86_NONE));
}

bool
x86_starts(const uint8_t *code, size_t n, size_t at)
{
	bool starts = false;
	struct x86_insn x;

	for (size_t i = 0; i < n && x86_insn(code + i, n - i, &x) == 0;
	     i += x.len) {
		/* iret, sysret, sysexit; what is pushed first is taken back */
		if (x.op == 0xcf || x.op == 0x107 || x.op == 0x135 ||
		    (!starts && x86_pushes(&x)))
			return false;
		starts = starts || (i < at && names_stack(&x));
	}
	return starts;
}

/*
 * Whether an instruction leaves the stack pointer and the frame pointer alone,
 * of those that compilers put between the two of a record, and before a return.
 */
static bool
is_aside(const struct x86_insn *x)
{
	const unsigned kept = 1u << X86_SP | 1u << X86_BP, op = x->op;
	const bool alu = op < 0x40 && (op & 4) == 0;
	const bool step = op == 0xff && (x->reg & 7) < 2; /* inc, dec */

	/* add and the like of a number to eax; cwde, cdq, nop; test; in, out */
	if ((op < 0x40 && (op & 6) == 4) || op == 0x98 || op == 0x99 ||
	    op == 0x90 || op == 0xa1 || op == 0xa3 || op == 0xa8 ||
	    op == 0xa9 || (op & ~3u) == 0xec)
		return true;
	if ((op & ~7u) == 0xb8)
		return (kept >> x->reg & 1) == 0;
	/* mov, lea, imul, cmov, movzx and movsx load a register */
	if ((alu && (op & 2) != 0) || op == 0x8b || op == 0x8d || op == 0x69 ||
	    op == 0x6b || op == 0x1af || (op & ~15u) == 0x140 ||
	    (op & ~9u) == 0x1b6)
		return (kept >> x->reg & 1) == 0;
	/* and these change rm: shifts, test, not, neg, setcc */
	if (alu || op == 0x89 || op == 0x81 || op == 0x83 || op == 0x85 ||
	    op == 0xc1 || op == 0xd1 || op == 0xd3 || op == 0xc6 ||
	    op == 0xc7 || op == 0xf7 || (op & ~15u) == 0x190 || step)
		return x->mod != X86_IS_REG || (kept >> x->rm & 1) == 0;
	return false;
}

bool
x86_left(const uint8_t *p, size_t n, unsigned word_size)
{
	struct x86_insn x;

	for (size_t i = 0; i < n; i += x.len) {
		if ((p[i] & ~1u) == 0xc2) /* ret */
			return true;
		if ((word_size == 8 ? x86_insn(p + i, n - i, &x)
				    : x86_insn_32(p + i, n - i, &x)) != 0 ||
		    !is_aside(&x))
			break;
	}
	return false;
}

/* Where the second half of a record is, which begins with 0x55 at i. */
static size_t
second_half(const uint8_t *p, size_t n, size_t i, unsigned word_size)
{
	struct x86_insn x;

	/* On x86_64 the code is followed, which tells more. */
	for (i++; word_size == 4 && i + 1 < n && i < X86_RECORD - 2 &&
		  !(p[i] == 0x89 && p[i + 1] == 0xe5) &&
		  !(p[i] == 0x8b && p[i + 1] == 0xec);
	     i += x.len)
		if (x86_insn_32(p + i, n - i, &x) != 0 || !is_aside(&x))
			break;
	return i;
}

bool
x86_record(
    const uint8_t *p, size_t n, size_t before, unsigned word_size, bool *pushed)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e}; /* 64: fa, 32: fb */
	static const uint8_t mov[2][2] = {{0x89, 0xe5}, {0x8b, 0xec}};
	const size_t rex = word_size == 8;
	size_t i = 0, half;

	*pushed = false;
	if (n >= 4 && memcmp(p, endbr, 3) == 0)
		i = 4;
	/* push %rbp; mov %rsp,%rbp; or of ebp, esp */
	if (n < i + 1 || p[i] != 0x55)
		return false;
	half = second_half(p, n, i, word_size);
	if (n < half + rex + 2 || (rex && p[half] != 0x48) ||
	    (memcmp(p + half + rex, mov[0], 2) != 0 &&
		memcmp(p + half + rex, mov[1], 2) != 0))
		return false;
	*pushed = before > i;
	return before >= half + rex + 2;
}

bool
x86_after_call(const uint8_t code[X86_CALL])
{
	if (code[2] == 0xe8)
		return true;
	for (int i = 0; i + 1 < X86_CALL; i++)
		if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x10)
			return true;
	return false;
}

bool
x86_begins(const uint8_t *code, size_t n)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa};
	struct x86_insn x;

	if (n >= 4 && memcmp(code, endbr, 4) == 0)
		return true;
	if (x86_insn(code, n, &x) != 0)
		return false;
	return (x.op & ~7u) == 0x50 ||
	       ((x.op == 0x81 || x.op == 0x83) && x.mod == X86_IS_REG &&
		   x.rm == X86_SP && x.reg == 5);
}

bool
x86_named(const uint8_t *code, size_t n, size_t *at, uint64_t addr,
    struct x86_name *name)
{
	struct x86_insn x;

	while (*at < n) {
		if (x86_insn(code + *at, n - *at, &x) != 0) {
			++*at;
			continue;
		}
		*at += x.len;
		name->call = x.op == 0xe8;
		name->to = addr + *at + (uint64_t)(int64_t)x.imm;
		if (name->call)
			return true;
		name->to = addr + *at + (uint64_t)(int64_t)x.disp;
		if (x.op == 0x8d && x.rm == X86_NONE && x.index == X86_NONE)
			return true;
		name->to = (uint32_t)x.imm;
		if (x.op == 0xc7 || (x.op & ~7u) == 0xb8)
			return true;
	}
	return false;
}
