/* SPDX-License-Identifier: ISC */
#include "insn/insn.h"

#include <string.h>

#include "base/num.h"
#include "insn/arm.h"
#include "insn/arm_insn.h"
#include "insn/risc.h"
#include "insn/x86_frame.h"

static uint32_t
word(const uint8_t *p)
{
	return (uint32_t)uint_load(p, 4, false);
}

static int64_t
sign(uint32_t v, unsigned bits)
{
	return (int64_t)((uint64_t)v << (64 - bits)) >> (64 - bits);
}

/* jal x0, a branch, c.j, jalr x0, c.jr; of 32 bits also c.beqz, c.bnez */
static enum jump
riscv_jump(const uint8_t *code, size_t n, size_t *at, int64_t *to)
{
	for (size_t i = *at; i + 2 <= n; i = *at) {
		uint32_t w = (uint32_t)uint_load(code + i, 2, false), reg;
		const size_t len = (w & 3) == 3 ? 4 : 2;

		if (len > n - i)
			return JUMP_ANYWHERE;
		*at = i + len;
		w = len == 4 ? word(code + i) : w;
		reg = len == 4 ? w >> 15 & 31 : w >> 7 & 31;
		if (len == 4 && (w & 0xfff) == 0x06f)
			*to = sign((w >> 31) << 20 | (w >> 12 & 0xff) << 12 |
				       (w >> 20 & 1) << 11 |
				       (w >> 21 & 0x3ff) << 1,
			    21);
		else if (len == 4 && (w & 0x7f) == 0x63)
			*to =
			    sign((w >> 31) << 12 | (w >> 7 & 1) << 11 |
				     (w >> 25 & 0x3f) << 5 | (w >> 8 & 15) << 1,
				13);
		else if (len == 2 && (w & 0xe003) == 0xa001)
			*to = sign((w >> 12 & 1) << 11 | (w >> 8 & 1) << 10 |
				       (w >> 9 & 3) << 8 | (w >> 6 & 1) << 7 |
				       (w >> 7 & 1) << 6 | (w >> 2 & 1) << 5 |
				       (w >> 11 & 1) << 4 | (w >> 3 & 7) << 1,
			    12);
		else if (((w & 0x7fff) == 0x0067 ||
			     (len == 2 && (w & 0xf07f) == 0x8002)) &&
			 reg > 1)
			return JUMP_ANYWHERE;
		else
			continue;
		*to += (int64_t)i;
		return JUMP_TO;
	}
	return JUMP_NONE;
}

/* b; b.cond, cbz, cbnz; tbz, tbnz; br and its signed kinds */
static enum jump
aarch64_jump(const uint8_t *code, size_t n, size_t *at, int64_t *to)
{
	for (size_t i = *at; i + 4 <= n; i = *at) {
		const uint32_t w = word(code + i);

		*at = i + 4;
		if (w >> 26 == 0x05)
			*to = 4 * sign(w & 0x3ffffff, 26);
		else if (w >> 24 == 0x54 || (w >> 25 & 0x3f) == 0x1a)
			*to = 4 * sign(w >> 5 & 0x7ffff, 19);
		else if ((w >> 25 & 0x3f) == 0x1b)
			*to = 4 * sign(w >> 5 & 0x3fff, 14);
		else if ((w & 0xfefff000) == 0xd61f0000)
			return JUMP_ANYWHERE;
		else
			continue;
		*to += (int64_t)i;
		return JUMP_TO;
	}
	return JUMP_NONE;
}

/* Of what leaves a function by the tables: bx lr; mov pc, lr; ldm sp. */
static bool
arm_returns(const uint8_t *p, bool thumb)
{
	const uint32_t a = (uint32_t)uint_load(p, 2, false);
	const uint32_t w = word(p);

	if (thumb)
		return a == 0x4770 || a == 0x46f7 || a == 0xe89d;
	return (w & 0x0fffffff) == 0x012fff1e ||
	       (w & 0x0fefffff) == 0x01a0f00e ||
	       (w & 0x0feff000) == 0x024ef000 || /* subs pc, lr */
	       (w & 0x0e5f8000) == 0x081d8000 ||
	       (w & 0x0e5f8000) == 0x081b8000; /* ldm fp */
}

/* Branches that name their targets; bx, ldr pc, tbb, and ldm of others. */
static enum jump
arm_jump(bool thumb, const uint8_t *code, size_t n, size_t *at, int64_t *to)
{
	unsigned it = 0;

	for (size_t i = *at; i + 2 <= n; i = *at) {
		uint8_t p[4] = {0};
		struct arm_insn insn;
		uint32_t target;

		memcpy(p, code + i, n - i < sizeof p ? n - i : sizeof p);
		*at = i + arm_insn_read(p, thumb, &it, &insn);
		if (*at > n)
			return JUMP_ANYWHERE;
		if (insn.kind == ARM_CALL)
			continue;
		if (arm_branch(p, thumb, (uint32_t)i, &target)) {
			*to = (int32_t)target;
			return JUMP_TO;
		}
		if (insn.kind == ARM_LEAVE && !arm_returns(p, thumb))
			return JUMP_ANYWHERE;
	}
	return JUMP_NONE;
}

/* b; beq to bgeu; beqz, bnez, bceqz, bcnez; jirl that links nothing */
static enum jump
loongarch_jump(const uint8_t *code, size_t n, size_t *at, int64_t *to)
{
	for (size_t i = *at; i + 4 <= n; i = *at) {
		const uint32_t w = word(code + i), op = w >> 26;

		*at = i + 4;
		if (op == 0x14)
			*to = 4 *
			      sign((w & 0x3ff) << 16 | (w >> 10 & 0xffff), 26);
		else if (op >= 0x16 && op <= 0x1b)
			*to = 4 * sign(w >> 10 & 0xffff, 16);
		else if (op >= 0x10 && op <= 0x12)
			*to = 4 * sign((w & 31) << 16 | (w >> 10 & 0xffff), 21);
		else if (op == 0x13 && (w & 31) == 0 && (w >> 5 & 31) != 1)
			return JUMP_ANYWHERE;
		else
			continue;
		*to += (int64_t)i;
		return JUMP_TO;
	}
	return JUMP_NONE;
}

/* bl; pcaddu18i ra; jirl ra, ra */
static uint64_t
loongarch_called(const uint8_t *p, uint64_t ra)
{
	const uint32_t far = word(p), w = word(p + 4);

	if (w >> 26 == 0x15)
		return ra - 4 +
		       (uint64_t)(4 *
				  sign((w & 0x3ff) << 16 | (w >> 10 & 0xffff),
				      26));
	if ((far & 0xfe00001f) == 0x1e000001 && (w & 0xfc0003ff) == 0x4c000021)
		return ra - 8 + ((uint64_t)sign(far >> 5 & 0xfffff, 20) << 18) +
		       (uint64_t)(4 * sign(w >> 10 & 0xffff, 16));
	return 0;
}

/* At each byte, as where instructions begin is not known. */
static enum jump
i386_jump(const uint8_t *code, size_t n, size_t *at, int64_t *to)
{
	for (size_t i = *at; i + 2 <= n; i = *at) {
		const unsigned a = code[i], b = code[i + 1];

		*at = i + 1;
		if (a == 0xeb || (a & 0xf0) == 0x70)
			*to = (int64_t)i + 2 + (int8_t)b;
		else if (a == 0xe9 && i + 5 <= n)
			*to = (int64_t)i + 5 + (int32_t)word(code + i + 1);
		else if (a == 0x0f && (b & 0xf0) == 0x80 && i + 6 <= n)
			*to = (int64_t)i + 6 + (int32_t)word(code + i + 2);
		else if (a == 0xff && (b & 0x38) == 0x20)
			return JUMP_ANYWHERE;
		else
			continue;
		return JUMP_TO;
	}
	return JUMP_NONE;
}

enum jump
code_jump(enum unwind_arch arch, bool thumb, const uint8_t *code, size_t n,
    size_t *at, int64_t *to)
{
	switch (arch) {
	case UNWIND_X86_64:
		return x86_jump(code, n, at, to);
	case UNWIND_I386:
		return i386_jump(code, n, at, to);
	case UNWIND_AARCH64:
		return aarch64_jump(code, n, at, to);
	case UNWIND_RISCV32:
	case UNWIND_RISCV64:
		return riscv_jump(code, n, at, to);
	case UNWIND_ARM:
		return arm_jump(thumb, code, n, at, to);
	case UNWIND_LOONGARCH64:
		return loongarch_jump(code, n, at, to);
	default:
		return JUMP_ANYWHERE;
	}
}

uint64_t
code_called(enum unwind_arch arch, bool thumb, const uint8_t *p, uint64_t ra)
{
	const uint32_t w = word(p + 4);
	uint64_t to;

	switch (arch) {
	case UNWIND_X86_64:
		return p[3] == 0xe8 ? ra + (uint64_t)(int64_t)(int32_t)w : 0;
	case UNWIND_I386:
		return p[3] == 0xe8 ? (uint32_t)(ra + w) : 0;
	case UNWIND_AARCH64:
		return w >> 26 == 0x25
			   ? ra - 4 + (uint64_t)(4 * sign(w & 0x3ffffff, 26))
			   : 0;
	case UNWIND_RISCV32:
	case UNWIND_RISCV64:
		/* c.jalr, of which the bytes before may seem to be a call */
		return (p[7] & 0xf0) == 0x90 && (p[6] & 0x7f) == 2
			   ? 0
			   : riscv_called(p, ra);
	case UNWIND_ARM:
		return arm_called(p + 4, thumb, ra, &to) ? to : 0;
	case UNWIND_LOONGARCH64:
		return loongarch_called(p, ra);
	default:
		return 0;
	}
}
