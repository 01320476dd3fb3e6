/* SPDX-License-Identifier: ISC */
/*
 * From the processors' public manuals. What never is an instruction need not be
 * told from those that are: QEMU ends a block with it.
 */
#include "decode/fails.h"

/* Instructions that cannot fail have `bits` in the bits of `mask`. */
struct row {
	uint32_t mask, bits;
};

/* The opcode of one byte, or 0x0f and the second one. */
enum { ALWAYS = 1, REGISTERS, ADDRESS };

static const struct {
	uint16_t mask, bits;
	uint8_t when;
} x86[] = {{0xffc4, 0x0000, REGISTERS}, /* add to cmp */
    {0xffc6, 0x0004, ALWAYS},		/* with al, ax */
    {0xfff0, 0x0040, ALWAYS},		/* inc, dec of 32 bits: a lone byte */
    {0xffff, 0x0069, REGISTERS}, {0xffff, 0x006b, REGISTERS}, /* imul */
    {0xfffc, 0x0080, REGISTERS}, {0xfffe, 0x0084, REGISTERS}, /* test */
    {0xfffc, 0x0088, REGISTERS},			      /* mov */
    {0xffff, 0x008d, ADDRESS},				      /* lea */
    {0xfffe, 0x0098, ALWAYS},				      /* cbw, cwd */
    {0xfffe, 0x00a8, ALWAYS}, /* test with al, ax */
    {0xfff0, 0x00b0, ALWAYS}, /* mov of a number */
    {0xfffe, 0x00c0, REGISTERS}, {0xfffc, 0x00d0, REGISTERS}, /* shifts */
    {0xfff0, 0x0f40, REGISTERS},			      /* cmov */
    {0xfff0, 0x0f90, REGISTERS},			      /* setcc */
    {0xffff, 0x0faf, REGISTERS},			      /* imul */
    {0xfff6, 0x0fb6, REGISTERS},			      /* movzx, movsx */
    {0xfff8, 0x0fc8, ALWAYS},				      /* bswap */
    {0}};

static const struct row arm64[] = {
    {0x1c000000, 0x10000000}, /* with a number, or an address */
    {0x1f000000, 0x0a000000}, /* and, or, eor */
    {0x1f000000, 0x0b000000}, /* add, sub */
    {0x1fe00000, 0x1a400000}, /* a comparison, if one holds; */
    {0x1fe00000, 0x1a800000}, /* a choice */
    {0x5fe0f000, 0x1ac02000}, /* shifts */
    {0x5fe0f800, 0x1ac00800}, /* div gives 0 for a division by 0 */
    {0x5fff0000, 0x5ac00000}, /* the order of bits */
    {0x1f000000, 0x1b000000}, /* multiplications */
    {0}};

/* Hints are among what may: they have no register for a result. */
static const struct row riscv[] = {{0x77, 0x13}, /* with a number, of 64 bits */
    {0x77, 0x33},				 /* and of two registers */
    {0x5f, 0x17},				 /* lui, auipc */
    {0}};
/* c.lui has the places of shadow stacks' instructions. */
static const struct row riscv_short[] = {{0xe003, 0x0000}, /* c.addi4spn */
    {0xe003, 0x0001}, {0xe003, 0x2001},			   /* c.addi, c.addiw */
    {0xe003, 0x4001}, {0xef83, 0x6101}, /* c.li, c.addi16sp */
    {0xe003, 0x8001}, {0xe003, 0x0002}, /* c.sub, c.slli */
    {0xe003, 0x8002},			/* c.mv, c.add */
    {0}};

static bool
has(const struct row *r, uint32_t w)
{
	while (r->mask && (w & r->mask) != r->bits)
		r++;
	return r->mask != 0;
}

/* A prefix of 64-bit code, or one that makes no access. */
static bool
is_prefix(uint8_t b, size_t n)
{
	return b == 0x66 || ((b & 0xf0) == 0x40 && n > 1);
}

/* div and calls share opcodes with others. */
static bool
may_fail_x86(const uint8_t *p, size_t n)
{
	unsigned op, modrm;

	while (n > 0 && is_prefix(*p, n))
		p++, n--;
	if (n > 1 && *p == 0x0f)
		p++, n--, op = 0x0f00U | *p;
	else
		op = n > 0 ? *p : 0xff;
	modrm = n > 1 ? p[1] : 0;
	if ((op & 0xfffe) == 0x00f6) /* test, not, neg, mul */
		return modrm < 0xc0 || (modrm >> 3 & 7) > 5;
	if ((op & 0xfffe) == 0x00fe) /* inc, dec */
		return modrm < 0xc0 || (modrm >> 3 & 7) > 1;
	for (size_t i = 0; x86[i].when; i++)
		if ((op & x86[i].mask) == x86[i].bits)
			return x86[i].when != ALWAYS &&
			       (x86[i].when == REGISTERS) != (modrm >= 0xc0);
	return true;
}

bool
insn_may_fail(enum insn_arch arch, const uint8_t *p, size_t n)
{
	uint32_t w = 0;

	if (arch == INSN_X86)
		return may_fail_x86(p, n);
	for (size_t i = 0; i < n && i < sizeof w; i++)
		w |= (uint32_t)p[i] << 8 * i;
	if (arch == INSN_ARM64)
		return n < 4 || !has(arm64, w);
	if (n == 2)
		return !has(riscv_short, w);
	return n < 4 || (w & 0xf80) == 0 || !has(riscv, w);
}
