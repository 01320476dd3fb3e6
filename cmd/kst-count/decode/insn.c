/* SPDX-License-Identifier: ISC */
#include "decode/insn.h"

/* Where an instruction has the displacement of its target, ... */
enum form {
	NOTHING,
	X86_REL, /* x86: after the opcode, to the end; calls store */
	A64_26,
	A64_19,
	A64_14,
	RV_J,
	RV_B,
	RV_CJ,
	RV_CB,
	/* ... or what it does with the return address in memory. */
	STORES,
	LOADS,
	BIT_22 /* which: 0 stores, 1 loads */
};

/* The first row with the instruction's bits is its; the last one has any. */
struct row {
	uint32_t mask, bits;
	enum insn_kind kind;
	enum form form;
};

/* The first two bytes after the prefixes. */
static const struct row x86[] = {{0xff00, 0xe800, INSN_CALL, X86_REL},
    {0xff00, 0xe900, INSN_BRANCH, X86_REL}, /* jmp */
    {0xff00, 0xeb00, INSN_BRANCH, X86_REL},
    {0xf000, 0x7000, INSN_BRANCH, X86_REL}, /* jcc */
    {0xfff0, 0x0f80, INSN_BRANCH, X86_REL},
    {0xfc00, 0xe000, INSN_BRANCH, X86_REL}, /* loop, jcxz */
    {0xff38, 0xff10, INSN_CALL, STORES},
    {0xff38, 0xff18, INSN_CALL, NOTHING}, /* far */
    {0xff00, 0x9a00, INSN_CALL, NOTHING}, {0xff30, 0xff20, INSN_JUMP, NOTHING},
    {0xff00, 0xea00, INSN_JUMP, NOTHING}, {0xfe00, 0xc200, INSN_RETURN, LOADS},
    {0xfe00, 0xca00, INSN_RETURN, NOTHING}, /* far */
    {0xff00, 0xcf00, INSN_TRAP_RETURN, LOADS},
    {0xffff, 0x0f07, INSN_TRAP_RETURN, NOTHING}, /* sysret */
    {0xffff, 0x0f35, INSN_TRAP_RETURN, NOTHING}, /* sysexit */
    {0xffff, 0x0f05, INSN_TRAP, NOTHING},	 /* syscall */
    {0xffff, 0x0f34, INSN_TRAP, NOTHING},	 /* sysenter */
    {0xfe00, 0xcc00, INSN_TRAP, NOTHING},	 /* int3, int */
    {0xff00, 0xce00, INSN_TRAP, NOTHING},	 /* into */
    {0xff00, 0xf100, INSN_TRAP, NOTHING}, {0}};

static const struct row arm64[] = {{0xfc000000, 0x94000000, INSN_CALL, A64_26},
    {0xfc000000, 0x14000000, INSN_BRANCH, A64_26},
    {0xff000000, 0x54000000, INSN_BRANCH, A64_19}, /* b.cond */
    {0x7e000000, 0x34000000, INSN_BRANCH, A64_19}, /* cbz, cbnz */
    {0x7e000000, 0x36000000, INSN_BRANCH, A64_14}, /* tbz, tbnz */
    /* With pointer authentication, too. */
    {0xfee00000, 0xd6000000, INSN_JUMP, NOTHING},
    {0xfee00000, 0xd6200000, INSN_CALL, NOTHING},
    {0xfee00000, 0xd6400000, INSN_RETURN, NOTHING},
    {0xfee00000, 0xd6800000, INSN_TRAP_RETURN, NOTHING},
    {0xffc00000, 0xd4000000, INSN_TRAP, NOTHING}, /* svc to brk */
    /* stp and ldp of x30, as the first or second one */
    {0xfe00001f, 0xa800001e, INSN_PLAIN, BIT_22},
    {0xfe007c00, 0xa8007800, INSN_PLAIN, BIT_22},
    /* str and ldr of x30: an offset, a small one, or one that moves */
    {0xff80001f, 0xf900001e, INSN_PLAIN, BIT_22},
    {0xffa00c1f, 0xf800001e, INSN_PLAIN, BIT_22},
    {0xffa0041f, 0xf800041e, INSN_PLAIN, BIT_22}, {0}};

/* Links: x1, and x5 of the compiler's save and restore functions. */
static const struct row riscv[] = {{0xfff, 0x0ef, INSN_CALL, RV_J},
    {0xfff, 0x2ef, INSN_CALL, RV_J}, {0x7f, 0x6f, INSN_BRANCH, RV_J},
    {0x7f, 0x63, INSN_BRANCH, RV_B}, {0xe003, 0xa001, INSN_BRANCH, RV_CJ},
    {0xc003, 0xc001, INSN_BRANCH, RV_CB},
    {0xfff, 0x0e7, INSN_CALL, NOTHING}, /* jalr */
    {0xfff, 0x2e7, INSN_CALL, NOTHING},
    {0xf8fff, 0x08067, INSN_RETURN, NOTHING},
    {0xf8fff, 0x28067, INSN_RETURN, NOTHING}, {0x7f, 0x67, INSN_JUMP, NOTHING},
    {0xffff, 0x9002, INSN_TRAP, NOTHING}, /* c.ebreak */
    {0xf07f, 0x9002, INSN_CALL, NOTHING}, /* c.jalr, c.jr */
    {0xffff, 0x8082, INSN_RETURN, NOTHING},
    {0xffff, 0x8282, INSN_RETURN, NOTHING},
    {0xf07f, 0x8002, INSN_JUMP, NOTHING},
    {0xffefffff, 0x73, INSN_TRAP, NOTHING},		 /* ecall, ebreak */
    {0xdfffffff, 0x10200073, INSN_TRAP_RETURN, NOTHING}, /* sret, mret */
    /* lw and ld, sw and sd of x1 */
    {0x6fff, 0x2083, INSN_PLAIN, LOADS}, {0xcf83, 0x4082, INSN_PLAIN, LOADS},
    {0x1f0607f, 0x102023, INSN_PLAIN, STORES},
    {0xc07f, 0xc006, INSN_PLAIN, STORES}, {0}};

static uint32_t
word(const uint8_t *p, size_t n)
{
	uint32_t w = 0;

	for (size_t i = 0; i < n && i < sizeof w; i++)
		w |= (uint32_t)p[i] << 8 * i;
	return w;
}

/* The low `bits` of w as a signed number. */
static uint64_t
sign(uint64_t w, unsigned bits)
{
	uint64_t top = (uint64_t)1 << (bits - 1);

	return ((w & (2 * top - 1)) ^ top) - top;
}

static uint64_t
displacement(enum form form, uint32_t w)
{
	switch (form) {
	case A64_26:
		return sign((uint64_t)w << 2, 28);
	case A64_19:
		return sign(w >> 3 & ~3U, 21);
	case A64_14:
		return sign(w >> 3 & ~3U, 16);
	case RV_J: /* offset[20|10:1|11|19:12] */
		return sign((w >> 11 & 0x100000) | (w & 0xff000) |
				(w >> 9 & 0x800) | (w >> 20 & 0x7fe),
		    21);
	case RV_B: /* offset[12|10:5], and [4:1|11] */
		return sign((w >> 19 & 0x1000) | (w << 4 & 0x800) |
				(w >> 20 & 0x7e0) | (w >> 7 & 0x1e),
		    13);
	case RV_CJ: /* offset[11|4|9:8|10|6|7|3:1|5] */
		return sign((w >> 1 & 0xb40) | (w >> 7 & 0x10) |
				(w << 2 & 0x400) | (w << 1 & 0x80) |
				(w >> 2 & 0xe) | (w << 3 & 0x20),
		    12);
	case RV_CB: /* offset[8|4:3], and [7:6|2:1|5] */
		return sign((w >> 4 & 0x100) | (w >> 7 & 0x18) |
				(w << 1 & 0xc0) | (w >> 2 & 6) |
				(w << 3 & 0x20),
		    9);
	default:
		return 0;
	}
}

/* A lone byte of 0x40 to 0x4f is an instruction of 32-bit code. */
static bool
is_x86_prefix(uint8_t b)
{
	return (b & 0xfc) == 0x64 || (b & 0xe7) == 0x26 || (b & 0xfe) == 0xf2 ||
	       (b & 0xf0) == 0x40;
}

/* ins, outs, movs, cmps, stos, lods and scas after a prefix rep. */
static bool
is_x86_string(uint8_t b)
{
	return (b & 0xfc) == 0x6c || (b & 0xfc) == 0xa4 || (b & 0xfe) == 0xaa ||
	       (b & 0xfc) == 0xac;
}

/* Whether a branch is a plain jump. */
static bool
is_jump(enum insn_arch arch, uint32_t w)
{
	switch (arch) {
	case INSN_X86:
		return w >> 8 == 0xe9 || w >> 8 == 0xeb;
	case INSN_ARM64:
		return w >> 26 == 5;
	default:
		return (w & 0x7f) == 0x6f || (w & 0xe003) == 0xa001;
	}
}

struct insn
insn_decode(enum insn_arch arch, uint64_t addr, const uint8_t *p, size_t n)
{
	const struct row *r = arch == INSN_X86	   ? x86
			      : arch == INSN_ARM64 ? arm64
						   : riscv;
	struct insn x = {.bits = 64};
	const uint64_t end = addr + n;
	uint32_t w = word(p, n);

	if (arch == INSN_X86) {
		for (; n > 1 && is_x86_prefix(*p); p++, n--)
			x.turns |= (*p & 0xfe) == 0xf2;
		x.turns &= n > 0 && is_x86_string(*p);
		w = word(p, n > 0) << 8 | (n > 1 ? p[1] : 0);
	}
	while ((w & r->mask) != r->bits)
		r++;
	x.kind = r->kind;
	x.always = x.kind == INSN_BRANCH && is_jump(arch, w);
	x.loads = r->form == LOADS || (r->form == BIT_22 && (w >> 22 & 1));
	x.saves = r->form == STORES || (r->form == BIT_22 && !x.loads);
	x.direct = r->form > NOTHING && r->form < STORES;
	x.target = addr + displacement(r->form, w);
	if (r->form == X86_REL) {
		const size_t op = *p == 0x0f ? 2 : 1, left = n - op;

		/* of 8, 16 or 32 bits */
		if (n <= op || left > 4)
			return (struct insn){0};
		x.target = end + sign(word(p + op, left), 8 * (unsigned)left);
		x.bits = left == 2 ? 16 : 64;
		x.saves = x.kind == INSN_CALL;
	}
	return x;
}
