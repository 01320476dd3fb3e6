/* SPDX-License-Identifier: ISC */
/* Encodings: Arm's DDI 0487; RISC-V's manual, I. */
#include "code/part.h"

#include <elf.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "code/x86.h"

static bool
is_x86(unsigned machine)
{
	return machine == EM_X86_64 || machine == EM_386;
}

bool
same_knows(unsigned machine)
{
	return is_x86(machine) || machine == EM_AARCH64 || machine == EM_RISCV;
}

static void
add_u32(struct buf *b, uint32_t v)
{
	const char bytes[] = {
	    (char)v, (char)(v >> 8), (char)(v >> 16), (char)(v >> 24)};

	buf_add(b, bytes, sizeof bytes);
}

/* aarch64 ------------------------------------------------------------------ */

static uint64_t
sign(uint64_t v, unsigned bits)
{
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

/* Registers that have an address, of riscv with its value. */
struct known {
	uint32_t is;
	uint64_t value[32];
};

static size_t
arm_length(const struct same_code *c, size_t at, bool *pad)
{
	uint64_t v;

	if (c->n - at < 4)
		return 0;
	v = uint_load(c->p + at, 4, false);
	*pad = v == 0xd503201f || v == 0;
	return 4;
}

static void
arm_put(const struct code *c, size_t at, struct known *k)
{
	uint32_t v = (uint32_t)uint_load(c->of->p + at, 4, false);
	uint64_t pc = c->of->addr + at, imm19 = sign(v >> 5 & 0x7ffff, 19);
	unsigned rd = v & 31;
	bool based = (k->is >> (v >> 5 & 31) & 1) != 0;

	if ((v & 0x7c000000) == 0x14000000) { /* b, bl */
		add_u32(c->b, v & 0xfc000000);
		code_target(c, pc + sign(v & 0x3ffffff, 26) * 4);
	} else if ((v & 0xff000000) == 0x54000000 ||
		   (v & 0x7e000000) == 0x34000000 ||
		   (v & 0x3b000000) == 0x18000000) { /* b.eq, cbz, ldr */
		add_u32(c->b, v & 0xff00001f);
		code_target(c, pc + imm19 * 4);
	} else if ((v & 0x7e000000) == 0x36000000) { /* tbz */
		add_u32(c->b, v & 0xfff8001f);
		code_target(c, pc + sign(v >> 5 & 0x3fff, 14) * 4);
	} else if ((v & 0x9f000000) == 0x10000000) { /* adr */
		add_u32(c->b, v & 0x9f00001f);
		code_target(c, pc + imm19 * 4 + (v >> 29 & 3));
	} else if ((v & 0x9f000000) == 0x90000000) { /* adrp */
		add_u32(c->b, v & 0x9f00001f);
		k->is |= 1u << rd;
	} else if ((v & 0xff800000) == 0x91000000 && based) { /* add */
		add_u32(c->b, v & 0xffc003ff);
		k->is &= ~(1u << rd);
	} else if ((v & 0x3b000000) == 0x39000000 && based) { /* ldr, str */
		add_u32(c->b, v & 0xffc003ff);
	} else {
		add_u32(c->b, v);
		if ((v & 0x0a000000) != 0x08000000) /* not a store */
			k->is &= ~(1u << rd);
	}
}

/* riscv64 ------------------------------------------------------------------ */

static size_t
riscv_length(const struct same_code *c, size_t at, bool *pad)
{
	uint64_t v;
	size_t n;

	if (c->n - at < 2)
		return 0;
	n = (c->p[at] & 3) == 3 && c->n - at >= 4 ? 4 : 2;
	v = uint_load(c->p + at, n, false);
	*pad = v == 0x13 || v == 1 || v == 0;
	return n;
}

/* An instruction of 2 bytes: c.j, c.beqz and c.bnez lead elsewhere. */
static void
riscv_short(const struct code *c, size_t at, uint32_t v, struct known *k)
{
	uint64_t pc = c->of->addr + at;

	k->is &= ~(1u << (v >> 7 & 31));
	if ((v & 0xe003) == 0xa001) {
		add_u32(c->b, 0xa001);
		code_target(
		    c, pc + sign((v >> 12 & 1) << 11 | (v >> 8 & 1) << 10 |
				     (v >> 9 & 3) << 8 | (v >> 6 & 1) << 7 |
				     (v >> 7 & 1) << 6 | (v >> 2 & 1) << 5 |
				     (v >> 11 & 1) << 4 | (v >> 3 & 7) << 1,
				12));
	} else if ((v & 0xc003) == 0xc001) {
		add_u32(c->b, v & 0xe383);
		code_target(
		    c, pc + sign((v >> 12 & 1) << 8 | (v >> 5 & 3) << 6 |
				     (v >> 2 & 1) << 5 | (v >> 10 & 3) << 3 |
				     (v >> 3 & 3) << 1,
				9));
	} else {
		add_u32(c->b, v);
	}
}

/*
 * The upper half of an address. The linker leaves it out where data is near gp
 * and code near enough, so it is not written; the lower half stands for both.
 */
static bool
riscv_upper(const struct code *c, uint32_t v)
{
	return (v & 127) == 0x17 ||
	       ((v & 127) == 0x37 &&
		   code_is_address(c, sign(v & 0xfffff000, 32)));
}

static void
riscv_put(const struct code *c, size_t at, struct known *k)
{
	bool is_short = (c->of->p[at] & 3) != 3 || c->of->n - at < 4;
	uint32_t v =
	    (uint32_t)uint_load(c->of->p + at, is_short ? 2 : 4, false);
	uint64_t pc = c->of->addr + at;
	unsigned op = v & 127, rd = v >> 7 & 31, rs = v >> 15 & 31;
	bool based = (k->is >> rs & 1) != 0 || rs == 3; /* gp */
	uint64_t upper = sign(v & 0xfffff000, 32);

	if (is_short) {
		riscv_short(c, at, v, k);
		return;
	}
	if (riscv_upper(c, v)) {
		k->is |= 1u << rd;
		k->value[rd] = op == 0x17 ? pc + upper : upper;
		return;
	}
	if (op == 0x6f) { /* jal */
		add_u32(c->b, v & 0xfff);
		code_target(c,
		    pc + sign((v >> 31) << 20 | (v >> 12 & 255) << 12 |
				  (v >> 20 & 1) << 11 | (v >> 21 & 1023) << 1,
			     21));
	} else if (op == 0x63) { /* branches */
		add_u32(c->b, v & 0x01fff07f);
		code_target(
		    c, pc + sign((v >> 31) << 12 | (v >> 7 & 1) << 11 |
				     (v >> 25 & 63) << 5 | (v >> 8 & 15) << 1,
				13));
		return;
	} else if (based && op == 0x67) { /* jalr, as jal */
		add_u32(c->b, (v & 0xf80) | 0x6f);
		code_target(c, k->value[rs] + sign(v >> 20, 12));
	} else if (based &&
		   (op == 0x13 || op == 0x1b || op == 0x03 || op == 0x07)) {
		add_u32(c->b, v & 0x7fff); /* addi, loads */
	} else {
		bool stores = op == 0x23 || op == 0x27;

		add_u32(c->b, based && stores ? v & 0x01f0707f : v);
		if (stores)
			return;
	}
	k->is &= ~(1u << rd);
}

/* All of it ---------------------------------------------------------------- */

static size_t
length(const struct same_code *c, size_t at, bool *pad)
{
	*pad = false;
	if (at == c->n)
		return 0;
	if (is_x86(c->machine))
		return code_x86_length(c, at, pad);
	if (c->machine == EM_AARCH64)
		return arm_length(c, at, pad);
	return riscv_length(c, at, pad);
}

/* After instructions from `at` on that do nothing: what they align, or at. */
static size_t
after_padding(const struct code *c, size_t at)
{
	size_t i = at, len;
	bool pad;

	while ((len = length(c->of, i, &pad)) != 0 && pad)
		i += len;
	return i == c->of->n || (c->target[i] && (c->of->addr + i) % 8 == 0)
		   ? i
		   : at;
}

/* Writes it, or counts the instructions before each, or looks for targets. */
static size_t
pass(struct code *c, bool counts)
{
	const struct same_code *of = c->of;
	struct known known = {0};
	uint32_t n = 0;
	size_t at = 0, len, to;
	bool pad;

	for (; (len = length(of, at, &pad)) != 0; at += len) {
		bool upper =
		    of->machine == EM_RISCV && len == 4 &&
		    riscv_upper(c, (uint32_t)uint_load(of->p + at, 4, false));
		bool padding =
		    pad && !c->looks && (to = after_padding(c, at)) > at;

		if (of->each && !c->looks && !counts)
			of->each(of->arg, at);
		if (padding)
			len = to - at;
		else if (pad && c->looks)
			continue;
		else if (of->machine == EM_AARCH64 &&
			 (of->addr + at) % 8 == 0 && of->n - at >= 8 &&
			 code_is_address(c, uint_load(of->p + at, 8, false)))
			len = 8; /* the address of data, in code */
		else if (!counts && is_x86(of->machine))
			code_x86_put(c, at);
		else if (!counts)
			(of->machine == EM_AARCH64 ? arm_put : riscv_put)(
			    c, at, &known);
		for (size_t i = at; i < at + len && counts; i++)
			c->before[i] = n;
		n += !padding && !upper;
	}
	return at;
}

void
same_code(const struct same_code *c, struct buf *b)
{
	struct code code = {.of = c,
	    .before = xcalloc(c->n + 1, sizeof *code.before),
	    .target = xcalloc(c->n + 1, sizeof *code.target),
	    .looks = true,
	    .b = b};
	size_t begin = b->len, end;

	pass(&code, false);
	b->len = begin;
	code.looks = false;
	pass(&code, true);
	end = pass(&code, false);
	buf_add(b, (const char *)c->p + end, c->n - end); /* cannot be read */
	free(code.before);
	free(code.target);
}
