/* SPDX-License-Identifier: ISC */
/* Code of x86_64 and i386: Intel's manual, volume 2. */
#include "code/x86.h"

#include <elf.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "insn/x86_insn.h"

static bool
is_32(const struct same_code *c)
{
	return c->machine == EM_386;
}

static int
read_at(const struct same_code *c, size_t at, struct x86_insn *x)
{
	return (is_32(c) ? x86_insn_32 : x86_insn)(c->p + at, c->n - at, x);
}

/* A number of an instruction as an address. */
static uint64_t
address(const struct code *c, int32_t v)
{
	return is_32(c->of) ? (uint32_t)v : (uint64_t)(int64_t)v;
}

/* A call or jump to a fixed place; its short form has another opcode. */
static bool
jumps(const struct x86_insn *x, unsigned *op)
{
	*op = x->op == 0xeb ? 0xe9 : x->op;
	if ((x->op & ~0xfu) == 0x70)
		*op = x->op + 0x110;
	return *op == 0xe8 || *op == 0xe9 || (*op & 0x1f0) == 0x180 ||
	       (*op & ~3u) == 0xe0;
}

/* Where the number v stands among an instruction's last bytes; len: nowhere. */
static size_t
place_of(const uint8_t *p, size_t len, int32_t v)
{
	for (size_t k = 0; k <= 8 && k + 4 < len; k += k ? k : 1)
		if ((int32_t)uint_load(p + len - 4 - k, 4, false) == v)
			return len - 4 - k;
	return len;
}

/* Replaces n bytes of the instruction, if they are there, by a name. */
static void
replace(const struct code *c, size_t begin, const struct x86_insn *x,
    size_t place, size_t n, uint64_t to)
{
	if (place == x->len)
		return;
	memset(c->b->p + begin + place, 0, n);
	c->of->name(c->of->arg, to, c->b);
}

/* What the address of its own place, as position-independent code has it. */
static bool
is_from_here(const struct code *c, const struct x86_insn *x)
{
	return !is_32(c->of) && x->mod == 0 && x->rm == X86_NONE &&
	       x->index == X86_NONE;
}

static void
put_one(const struct code *c, size_t at, const struct x86_insn *x)
{
	const uint8_t *p = c->of->p + at;
	uint64_t next = c->of->addr + at + x->len, to;
	size_t begin = c->b->len;
	unsigned op;

	if (jumps(x, &op)) {
		to = next + (uint64_t)(int64_t)x->imm;
		buf_printf(c->b, "j%x", op);
		code_target(c, is_32(c->of) ? (uint32_t)to : to);
		return;
	}
	buf_add(c->b, (const char *)p, x->len);
	if (is_from_here(c, x))
		replace(c, begin, x, place_of(p, x->len, x->disp), 4,
		    next + (uint64_t)(int64_t)x->disp);
	else if (x->disp && code_is_address(c, to = address(c, x->disp)))
		replace(c, begin, x, place_of(p, x->len, x->disp), 4, to);
	if (!is_32(c->of) && x->len > 8 && (x->op & ~7u) == 0xb8) {
		to = uint_load(p + x->len - 8, 8, false);
		if (code_is_address(c, to))
			replace(c, begin, x, x->len - 8, 8, to);
	} else if (x->imm && (code_is_address(c, to = address(c, x->imm)) ||
				 code_is_address(c, to = (uint32_t)x->imm))) {
		replace(c, begin, x, place_of(p, x->len, x->imm), 4, to);
	}
}

/* `lea 0(%esi),%esi` and `mov %esi,%esi`, by which gas fills on i386. */
static bool
fills_32(const struct x86_insn *x)
{
	return x->reg == x->rm && x->reg >= 6 && x->disp == 0 &&
	       x->index == X86_NONE &&
	       ((x->op == 0x8d && x->mod != X86_IS_REG) ||
		   (x->op == 0x89 && x->mod == X86_IS_REG));
}

size_t
code_x86_length(const struct same_code *c, size_t at, bool *pad)
{
	struct x86_insn x;

	if (read_at(c, at, &x) != 0)
		return 0;
	*pad = x.op == 0x90 || x.op == 0x11f || x.op == 0xcc ||
	       (is_32(c) && fills_32(&x));
	return x.len;
}

void
code_x86_put(const struct code *c, size_t at)
{
	struct x86_insn x;

	if (read_at(c->of, at, &x) == 0)
		put_one(c, at, &x);
}
