/* SPDX-License-Identifier: ISC */
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
