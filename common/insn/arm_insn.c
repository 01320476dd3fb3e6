/* SPDX-License-Identifier: ISC */
#include "insn/arm_insn.h"

#include "base/num.h"
#include "insn/insn.h"

/* Where an instruction has d, n and imm, or its list. */
enum arm_form {
	F_NONE,
	F_LIST,	 /* of 16 bits */
	F_SHORT, /* of 8, and lr or pc */
	F_ONE,	 /* a register: bits from 12; bytes: from 0 */
	F_PAIR,	 /* two registers: 12, in Thumb the second: 8; bytes or words: 0
		  */
	F_FPU,	 /* words: 0 */
	F_IMM,	 /* d: 12, in Thumb 8; n: 16; imm: 0 and others */
	F_MOVE,	 /* d: 12, in Thumb 8; n: 0 */
	F_SP,	 /* d and n: sp, words: 0 */
	F_TO,	 /* d: 8, n: sp, words: 0 */
	F_SAME,	 /* d and n: 8, imm: 0 */
	F_BASE,	 /* a list, and n: 16 */
	F_READ,	 /* d: 8, n: sp */
	F_HIGH	 /* d: 0 and 7, n: 3 */
};

/*
 * The bits that an instruction must have; the first row that fits counts.
 * What is not in the tables leaves the stack alone, and what points into it.
 */
struct row {
	uint32_t mask, value;
	uint8_t kind, form;
};

static const struct row arm_rows[] = {
    {0xffffffe0, 0xf96d0500, ARM_STATE, F_NONE},
    {0xfff20020, 0xf1020000, ARM_MODE, F_NONE},
    {0xfe000000, 0xfa000000, ARM_CALL, F_NONE},	 /* blx */
    {0xfe50ffff, 0xf8100a00, ARM_LEAVE, F_NONE}, /* rfe */
    {0xf0000000, 0xf0000000, ARM_OTHER, F_NONE},
    {0x0fff0000, 0x092d0000, ARM_PUSH, F_LIST},
    {0x0fff0000, 0x08bd0000, ARM_POP, F_LIST},
    {0x0fff0000, 0x052d0000, ARM_PUSH, F_ONE}, /* str, ldr */
    {0x0fff0000, 0x049d0000, ARM_POP, F_ONE},
    {0x0fff0000, 0x058d0000, ARM_STORE, F_ONE},
    {0x0fff00f0, 0x016d00f0, ARM_PUSH, F_PAIR}, /* strd, ldrd */
    {0x0fff00f0, 0x00cd00d0, ARM_POP, F_PAIR},
    {0x0fff00f0, 0x01cd00f0, ARM_STORE, F_PAIR},
    {0x0fbf0e00, 0x0d2d0a00, ARM_PUSH, F_FPU}, /* vpush, vpop */
    {0x0fbf0e00, 0x0cbd0a00, ARM_POP, F_FPU},
    {0x0fe00000, 0x02800000, ARM_ADD, F_IMM},
    {0x0fe00000, 0x02400000, ARM_SUB, F_IMM},
    {0x0fef0ff0, 0x01a00000, ARM_ADD, F_MOVE},
    {0x0ffffff0, 0x012fff30, ARM_CALL, F_NONE}, /* blx, bl */
    {0x0f000000, 0x0b000000, ARM_CALL, F_NONE},
    {0x0ffffff0, 0x012fff10, ARM_LEAVE, F_NONE}, /* bx, b, ldm, ldr pc */
    {0x0f000000, 0x0a000000, ARM_LEAVE, F_NONE},
    {0x0e108000, 0x08108000, ARM_LEAVE, F_NONE},
    {0x0c50f000, 0x0410f000, ARM_LEAVE, F_NONE},
    {0x0ff00ff0, 0x02000000, ARM_ODD, F_IMM}, /* and d, n, #0 to 15 */
    {0x0ffffff0, 0x004dd000, ARM_DOWN, F_MOVE},
    {0x0ffffff0, 0x008dd000, ARM_UP, F_MOVE},
    {0x0d90f000, 0x0110d000, ARM_OTHER, F_NONE}, /* tst and its kind */
    {0x0c00f000, 0x0000d000, ARM_LOSE, F_NONE},
    {0x0c10f000, 0x0410d000, ARM_LOSE, F_NONE},	 /* ldr sp */
    {0x0e104000, 0x08004000, ARM_HIDE, F_NONE},	 /* stm */
    {0x0c10f000, 0x0400e000, ARM_HIDE, F_NONE},	 /* str */
    {0x0e000090, 0x00000090, ARM_OTHER, F_NONE}, /* mul, ldrh and their kind */
    {0x0d800000, 0x01000000, ARM_OTHER, F_NONE}, /* cmp, mrs and their kind */
    {0x0c000000, 0x00000000, ARM_SET, F_MOVE},	 /* what else computes d */
    {0, 0, ARM_OTHER, F_NONE}};

static const struct row short_rows[] = {{0xfe00, 0xb400, ARM_PUSH, F_SHORT},
    {0xfe00, 0xbc00, ARM_POP, F_SHORT}, {0xff80, 0xb000, ARM_ADD, F_SP},
    {0xff80, 0xb080, ARM_SUB, F_SP}, {0xf800, 0xa800, ARM_ADD, F_TO},
    {0xf800, 0x3000, ARM_ADD, F_SAME}, {0xf800, 0x3800, ARM_SUB, F_SAME},
    {0xff00, 0x4600, ARM_ADD, F_HIGH}, /* mov */
    {0xff87, 0x4485, ARM_LOSE, F_NONE},
    {0xff87, 0x4780, ARM_CALL, F_NONE},	 /* blx */
    {0xff87, 0x4700, ARM_LEAVE, F_NONE}, /* bx, b */
    {0xf800, 0xe000, ARM_LEAVE, F_NONE}, {0, 0, ARM_OTHER, F_NONE}};

static const struct row long_rows[] = {
    {0xffff0000, 0xe92d0000, ARM_PUSH, F_LIST},
    {0xffff0000, 0xe8bd0000, ARM_POP, F_LIST},
    {0xffff0f00, 0xf84d0d00, ARM_PUSH, F_ONE}, /* str, ldr */
    {0xffff0f00, 0xf85d0b00, ARM_POP, F_ONE},
    {0xffff0000, 0xf8cd0000, ARM_STORE, F_ONE},
    {0xffff0000, 0xe96d0000, ARM_PUSH, F_PAIR}, /* strd, ldrd */
    {0xffff0000, 0xe8fd0000, ARM_POP, F_PAIR},
    {0xffff0000, 0xe9cd0000, ARM_STORE, F_PAIR},
    {0xffbf0e00, 0xed2d0a00, ARM_PUSH, F_FPU}, /* vpush, vpop */
    {0xffbf0e00, 0xecbd0a00, ARM_POP, F_FPU},
    {0xfbe08000, 0xf1000000, ARM_ADD, F_IMM},
    {0xfbe08000, 0xf1a00000, ARM_SUB, F_IMM},
    {0xfbf08000, 0xf2000000, ARM_ADD, F_IMM},
    {0xfbf08000, 0xf2a00000, ARM_SUB, F_IMM},
    {0xffeff0f0, 0xea4f0000, ARM_ADD, F_MOVE},
    {0xf800c000, 0xf000c000, ARM_CALL, F_NONE},	 /* bl, blx */
    {0xf800d000, 0xf0009000, ARM_LEAVE, F_NONE}, /* b, tbb, ldr pc */
    {0xfff0ffe0, 0xe8d0f000, ARM_LEAVE, F_NONE},
    {0xff70f000, 0xf850f000, ARM_LEAVE, F_NONE},
    {0xffd08000, 0xe8908000, ARM_LEAVE, F_NONE}, /* ldm pc */
    {0xfff00000, 0xe9200000, ARM_SAVE, F_BASE},	 /* stmdb n!, ldm */
    {0xffd00000, 0xe8900000, ARM_LOAD, F_BASE},
    {0xfffff0ff, 0xf3ef8008, ARM_ADD, F_READ}, /* mrs msp, psp; msr msp */
    {0xfffff0ff, 0xf3ef8009, ARM_SET, F_READ},
    {0xfff0ffff, 0xf3808808, ARM_LOSE, F_NONE},
    {0xfbc08000, 0xf0000000, ARM_SET, F_IMM}, /* and, bic */
    {0xfe008f00, 0xea000d00, ARM_LOSE, F_NONE},
    {0xff70f000, 0xf850d000, ARM_LOSE, F_NONE}, /* ldr sp */
    {0xfe504000, 0xe8004000, ARM_HIDE, F_NONE}, /* stm */
    {0xfe10f000, 0xf800e000, ARM_HIDE, F_NONE}, /* str */
    {0, 0, ARM_OTHER, F_NONE}};

static uint32_t
rotate(uint32_t v, unsigned by)
{
	return by == 0 ? v : v >> by | v << (32 - by);
}

/* Of add.w and addw; not of constants with several bytes. */
static uint32_t
long_imm(uint32_t w)
{
	const uint32_t v = (w >> 26 & 1) << 11 | (w >> 12 & 7) << 8 | (w & 255);

	return (w & 1u << 25) != 0 || v < 256
		   ? v
		   : rotate(0x80 | (v & 127), v >> 7);
}

static void
set(struct arm_insn *i, unsigned d, unsigned n, uint32_t imm)
{
	i->d = d;
	i->n = n;
	i->imm = imm;
}

static void
decode(struct arm_insn *i, uint32_t w, enum arm_form form, bool thumb)
{
	const uint32_t byte = w & 255, low = w >> 8 & 7;
	const unsigned d = w >> (thumb ? 8 : 12) & 15;

	switch (form) {
	case F_NONE:
		break;
	case F_LIST:
		i->list = w & 0xffff;
		i->imm = 4 * (uint32_t)__builtin_popcount(i->list);
		break;
	case F_SHORT:
		i->list = byte | (w >> 8 & 1)
				     << (w >> 11 & 1 ? ARM_PC : ARM_LR);
		i->imm = 4 * (uint32_t)__builtin_popcount(i->list);
		break;
	case F_ONE:
		i->list = 1u << (w >> 12 & 15);
		i->imm = thumb && i->kind != ARM_STORE ? byte : w & 0xfff;
		break;
	case F_PAIR:
		i->list = thumb ? 1u << (w >> 12 & 15) | 1u << (w >> 8 & 15)
				: 3u << (w >> 12 & 15);
		i->imm = thumb ? 4 * byte : (w >> 4 & 0xf0) | (w & 15);
		break;
	case F_FPU:
		i->imm = 4 * byte;
		break;
	case F_IMM:
		set(i, d, w >> 16 & 15,
		    thumb ? long_imm(w) : rotate(byte, w >> 7 & 30));
		break;
	case F_MOVE:
		set(i, d, w & 15, 0);
		break;
	case F_SP:
		set(i, ARM_SP, ARM_SP, 4 * (w & 127));
		break;
	case F_TO:
		set(i, low, ARM_SP, 4 * byte);
		break;
	case F_SAME:
		set(i, low, low, byte);
		break;
	case F_BASE:
		i->list = w & 0xffff;
		set(i, 0, w >> 16 & 15,
		    4 * (uint32_t)__builtin_popcount(i->list));
		break;
	case F_READ:
		set(i, d, ARM_SP, 0);
		break;
	case F_HIGH:
		set(i, (w & 7) | (w >> 4 & 8), w >> 3 & 15, 0);
	}
	if (i->kind == ARM_SUB)
		i->imm = -i->imm;
	if ((i->kind == ARM_ADD || i->kind == ARM_SUB) && i->d == ARM_PC)
		i->kind = ARM_LEAVE;
}

size_t
arm_insn_read(const uint8_t *p, bool thumb, unsigned *it, struct arm_insn *i)
{
	const uint32_t h = (uint32_t)uint_load(p, 2, false);
	const uint32_t next = (uint32_t)uint_load(p + 2, 2, false);
	const bool is_long = !thumb || h >> 11 >= 0x1d;
	const uint32_t w = !thumb    ? next << 16 | h
			   : is_long ? h << 16 | next
				     : h;
	const struct row *r = !thumb	? arm_rows
			      : is_long ? long_rows
					: short_rows;

	*i = (struct arm_insn){.maybe = thumb ? *it > 0 : w >> 28 < 14};
	*it -= *it > 0;
	if (!is_long && (h & 0xff00) == 0xbf00 && (h & 15) != 0)
		*it = 4 - (unsigned)__builtin_ctz(h & 15);
	while ((w & r->mask) != r->value)
		r++;
	i->kind = r->kind;
	decode(i, w, r->form, thumb);
	return is_long ? 4 : 2;
}

static uint32_t
sign(uint32_t v, unsigned bits)
{
	const uint32_t top = 1u << (bits - 1);

	return (v ^ top) - top;
}

/* b, b.w, cbz, bl, blx; relative to 4 bytes after the instruction */
static bool
thumb_branch(uint32_t a, uint32_t b, uint32_t *off)
{
	const uint32_t s = a >> 10 & 1, j1 = b >> 13 & 1, j2 = b >> 11 & 1;

	if ((a & 0xf000) == 0xd000 && (a & 0x0e00) != 0x0e00)
		*off = sign(a & 0xff, 8) << 1;
	else if ((a & 0xf800) == 0xe000)
		*off = sign(a & 0x7ff, 11) << 1;
	else if ((a & 0xf500) == 0xb100)
		*off = (a >> 3 & 0x40) | (a >> 2 & 0x3e);
	else if ((a & 0xf800) != 0xf000 || (b & 0x8000) == 0)
		return false;
	else if ((b & 0x5000) != 0)
		*off = sign(s << 24 | (~(j1 ^ s) & 1) << 23 |
				(~(j2 ^ s) & 1) << 22 | (a & 0x3ff) << 12 |
				(b & 0x7ff) << 1,
		    25);
	else if ((a & 0x0380) != 0x0380)
		*off = sign(s << 20 | j2 << 19 | j1 << 18 | (a & 0x3f) << 12 |
				(b & 0x7ff) << 1,
		    21);
	else
		return false;
	return true;
}

bool
arm_branch(const uint8_t *p, bool thumb, uint32_t at, uint32_t *to)
{
	const uint32_t a = (uint32_t)uint_load(p, 2, false);
	const uint32_t b = (uint32_t)uint_load(p + 2, 2, false);
	const uint32_t w = b << 16 | a;

	if (thumb && thumb_branch(a, b, to)) {
		if (a >> 11 == 0x1e && (b & 0xd000) == 0xc000)
			at &= ~2u; /* blx, to Arm's code, which is at words */
		*to += at + 4;
		return true;
	}
	if (thumb || (w & 0x0e000000) != 0x0a000000)
		return false;
	*to = at + 8 + (sign(w & 0xffffff, 24) << 2);
	if (w >> 28 == 15) /* blx: Thumb's is at half of them */
		*to += w >> 23 & 2;
	return true;
}

/*
 * A jump by a register or by memory, before which lr was made the address after
 * it: before ARMv5, and in Linux' ret_from_fork, this is a call.
 */
static bool
is_old_call(const uint8_t *p)
{
	const uint32_t link = (uint32_t)uint_load(p, 4, false) & 0x0fffffff;
	const uint32_t jump = (uint32_t)uint_load(p + 4, 4, false);

	return (link == 0x01a0e00f || link == 0x028fe000) &&
	       ((jump & 0x0ffffff0) == 0x01a0f000 ||
		   (jump & 0x0ffffff0) == 0x012fff10 ||
		   (jump & 0x0c50f000) == 0x0410f000);
}

bool
arm_is_call(const uint8_t *p, size_t n, bool thumb)
{
	struct arm_insn i;
	unsigned it = 0;

	if (n == ARM_CALL_BYTES && !thumb && is_old_call(p))
		return true;
	p += n - 4;

	if (arm_insn_read(p, thumb, &it, &i) == 4 && i.kind == ARM_CALL)
		return true;
	return thumb && (uint_load(p + 2, 2, false) & 0xff87) == 0x4780;
}

bool
arm_called(const uint8_t *p, bool thumb, uint64_t ra, uint64_t *to)
{
	struct arm_insn i;
	unsigned it = 0;
	uint32_t target;

	if (arm_insn_read(p, thumb, &it, &i) != 4 || i.kind != ARM_CALL ||
	    !arm_branch(p, thumb, (uint32_t)ra - 4, &target))
		return false;
	*to = target;
	return true;
}
