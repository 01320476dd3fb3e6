/* SPDX-License-Identifier: ISC */
#include "plugin/insn.h"

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

static struct insn
direct(enum insn_kind kind, uint64_t target, unsigned bits)
{
	return (struct insn){
	    .kind = kind, .direct = true, .target = target, .bits = bits};
}

/* ff /2 to /5: calls and jumps through a register or memory. */
static struct insn
x86_group5(const uint8_t *p, size_t n)
{
	unsigned op = n > 1 ? p[1] >> 3 & 7 : 0;

	if (op == 2 || op == 3)
		return (struct insn){.kind = INSN_CALL, .saves = op == 2};
	return (struct insn){
	    .kind = op == 4 || op == 5 ? INSN_JUMP : INSN_PLAIN};
}

static struct insn
x86_two_bytes(uint64_t end, const uint8_t *p, size_t n)
{
	if (n < 2)
		return (struct insn){0};
	if (p[1] == 0x05 || p[1] == 0x34) /* syscall, sysenter */
		return (struct insn){.kind = INSN_TRAP};
	if (p[1] == 0x07 || p[1] == 0x35) /* sysret, sysexit */
		return (struct insn){.kind = INSN_TRAP_RETURN};
	if ((p[1] & 0xf0) != 0x80)
		return (struct insn){0};
	return direct(INSN_BRANCH,
	    end + sign(word(p + 2, n - 2), n == 4 ? 16 : 32), n == 4 ? 16 : 64);
}

static bool
is_x86_prefix(uint8_t b)
{
	return b == 0x66 || b == 0x67 || (b & 0xfe) == 0xf2 || b == 0x2e ||
	       b == 0x3e || (b & 0xf0) == 0x40;
}

/* A lone byte of 0x40 to 0x4f is an instruction of 32-bit code. */
static struct insn
x86(uint64_t end, const uint8_t *p, size_t n)
{
	struct insn x;

	while (n > 1 && is_x86_prefix(*p))
		p++, n--;
	switch (n > 0 ? *p : 0x90) {
	case 0xe8:
	case 0xe9: /* of 16 or 32 bits */
		x = direct(*p == 0xe8 ? INSN_CALL : INSN_BRANCH,
		    end + sign(word(p + 1, n - 1), n == 3 ? 16 : 32),
		    n == 3 ? 16 : 64);
		x.saves = *p == 0xe8;
		return x;
	case 0x9a: /* far */
		return (struct insn){.kind = INSN_CALL};
	case 0xea:
		return (struct insn){.kind = INSN_JUMP};
	case 0xc2:
	case 0xc3:
	case 0xca: /* far */
	case 0xcb:
		return (struct insn){.kind = INSN_RETURN, .loads = *p < 0xc8};
	case 0xcf:
		return (struct insn){.kind = INSN_TRAP_RETURN, .loads = true};
	case 0xcc:
	case 0xcd:
	case 0xce:
	case 0xf1:
		return (struct insn){.kind = INSN_TRAP};
	case 0xff:
		return x86_group5(p, n);
	case 0x0f:
		return x86_two_bytes(end, p, n);
	default:
		/* jcc, loop and jmp with eight bits */
		if (n != 2 ||
		    ((*p & 0xf0) != 0x70 && (*p & 0xfc) != 0xe0 && *p != 0xeb))
			return (struct insn){0};
		return direct(INSN_BRANCH, end + sign(p[1], 8), 64);
	}
}

enum { X30 = 30 };

/* stp, ldp, str and ldr of x30, with every kind of offset. */
static struct insn
arm64_memory(uint32_t w)
{
	bool pair = (w & 0xfe000000) == 0xa8000000;
	bool single = (w & 0xff000000) == 0xf9000000 ||
		      ((w & 0xff200000) == 0xf8000000 && (w & 0xc00) != 0x800);
	bool load = w >> 22 & 1;
	bool link = (w & 31) == X30 || (pair && (w >> 10 & 31) == X30);

	if (!link || !(pair || (single && (w >> 23 & 1) == 0)))
		return (struct insn){0};
	return (struct insn){.saves = !load, .loads = load};
}

static struct insn
arm64(uint64_t addr, uint32_t w)
{
	if ((w & 0x7c000000) == 0x14000000) /* b, bl */
		return direct(w >> 31 ? INSN_CALL : INSN_BRANCH,
		    addr + sign((uint64_t)w << 2, 28), 64);
	if ((w & 0xff000000) == 0x54000000 || (w & 0x7e000000) == 0x34000000)
		return direct(INSN_BRANCH, addr + sign(w >> 3 & ~3U, 21), 64);
	if ((w & 0x7e000000) == 0x36000000) /* tbz, tbnz */
		return direct(
		    INSN_BRANCH, addr + sign(w >> 3 & 0xfffc, 16), 64);
	if ((w & 0xfe000000) == 0xd6000000)
		switch (w >> 21 & 7) { /* with pointer authentication, too */
		case 0:
			return (struct insn){.kind = INSN_JUMP};
		case 1:
			return (struct insn){.kind = INSN_CALL};
		case 2:
			return (struct insn){.kind = INSN_RETURN};
		case 4:
			return (struct insn){.kind = INSN_TRAP_RETURN};
		}
	if ((w & 0xff000000) == 0xd4000000 && (w >> 21 & 7) <= 1)
		return (struct insn){
		    .kind = INSN_TRAP}; /* svc, hvc, smc, brk */
	return arm64_memory(w);
}

/* x1, and x5 of the compiler's save and restore functions. */
static bool
is_link(unsigned r)
{
	return r == 1 || r == 5;
}

static struct insn
riscv_jump(bool links, unsigned from)
{
	return (struct insn){.kind = links	     ? INSN_CALL
				     : is_link(from) ? INSN_RETURN
						     : INSN_JUMP};
}

static struct insn
riscv_short(uint64_t addr, uint32_t w)
{
	unsigned r = w >> 7 & 31, r2 = w >> 2 & 31, funct = w >> 13;
	uint32_t off;

	switch (w & 3) {
	case 1:
		if (funct == 5) { /* offset[11|4|9:8|10|6|7|3:1|5] */
			off = (w >> 1 & 0x800) | (w >> 7 & 0x10) |
			      (w >> 1 & 0x300) | (w << 2 & 0x400) |
			      (w >> 1 & 0x40) | (w << 1 & 0x80) |
			      (w >> 2 & 0xe) | (w << 3 & 0x20);
			return direct(INSN_BRANCH, addr + sign(off, 12), 64);
		}
		if (funct < 6)
			break;
		off = (w >> 4 & 0x100) | (w >> 7 & 0x18) | (w << 1 & 0xc0) |
		      (w >> 2 & 6) | (w << 3 & 0x20);
		return direct(INSN_BRANCH, addr + sign(off, 9), 64);
	case 2:
		if (w == 0x9002) /* c.ebreak */
			return (struct insn){.kind = INSN_TRAP};
		if (funct == 4 && r != 0 && r2 == 0)
			return riscv_jump(w >> 12 & 1, r);
		/* c.lwsp, c.ldsp; c.swsp, c.sdsp */
		return (struct insn){.loads = (funct & 6) == 2 && r == 1,
		    .saves = (funct & 6) == 6 && r2 == 1};
	}
	return (struct insn){0};
}

static struct insn
riscv(uint64_t addr, uint32_t w)
{
	unsigned rd = w >> 7 & 31, r1 = w >> 15 & 31, r2 = w >> 20 & 31;
	unsigned funct = w >> 12 & 7;

	switch (w & 0x7f) {
	case 0x6f:
		return direct(is_link(rd) ? INSN_CALL : INSN_BRANCH,
		    addr + sign((w >> 11 & 0x100000) | (w & 0xff000) |
				    (w >> 9 & 0x800) | (w >> 20 & 0x7fe),
			       21),
		    64);
	case 0x67:
		return riscv_jump(is_link(rd), rd == 0 ? r1 : 0);
	case 0x63:
		return direct(INSN_BRANCH,
		    addr + sign((w >> 19 & 0x1000) | (w << 4 & 0x800) |
				    (w >> 20 & 0x7e0) | (w >> 7 & 0x1e),
			       13),
		    64);
	case 0x73:
		if (w == 0x73 || w == 0x100073) /* ecall, ebreak */
			return (struct insn){.kind = INSN_TRAP};
		if (w == 0x10200073 || w == 0x30200073) /* sret, mret */
			return (struct insn){.kind = INSN_TRAP_RETURN};
		break;
	case 0x03:
		return (struct insn){.loads = rd == 1 && (funct & 6) == 2};
	case 0x23:
		return (struct insn){.saves = r2 == 1 && (funct & 6) == 2};
	}
	return (struct insn){0};
}

struct insn
insn_decode(enum insn_arch arch, uint64_t addr, const uint8_t *p, size_t n)
{
	if (arch == INSN_X86)
		return x86(addr + n, p, n);
	if (arch == INSN_ARM64)
		return n == 4 ? arm64(addr, word(p, 4)) : (struct insn){0};
	return n == 2	? riscv_short(addr, word(p, 2))
	       : n == 4 ? riscv(addr, word(p, 4))
			: (struct insn){0};
}
