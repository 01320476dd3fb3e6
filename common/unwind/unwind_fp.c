/* SPDX-License-Identifier: ISC */
/*
 * Knows the frame records of each architecture, and the code that sets them up.
 * A function that a CPU is in need not have its record yet, or at all (a leaf):
 * then the return address is still where the call put it, at the stack pointer
 * or in a register, and the frame pointer is the caller's.
 */
#include "unwind/unwind_fp.h"
#include <string.h>

#include "unwind/insn.h"

/* RECORD: the longest code that x86_record() looks at. */
enum { PROLOGUE = 256, RECORD = 8, LEAF_WORDS = 8, LOOKS = 1024 };

struct record {
	int64_t fp, ra, sp; /* of the caller, relative to the frame pointer */
};

static const struct record records[UNWIND_ARCHS] = {
    [UNWIND_X86_64] = {0, 8, 16},
    [UNWIND_AARCH64] = {0, 8, 16},
    [UNWIND_RISCV64] = {-16, -8, 0},
    [UNWIND_I386] = {0, 4, 8},
    [UNWIND_LOONGARCH64] = {-16, -8, 0},
};

/*
 * Whether the record is complete at the end of the n bytes of code from a
 * function's start; *pushed says whether only its first half is.
 */
static bool
x86_record(
    const uint8_t *p, size_t n, size_t before, unsigned word, bool *pushed)
{
	static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e}; /* 64: fa, 32: fb */
	static const uint8_t mov[2][2] = {{0x89, 0xe5}, {0x8b, 0xec}};
	const size_t rex = word == 8;
	size_t i = 0;

	*pushed = false;
	if (n >= 4 && memcmp(p, endbr, 3) == 0)
		i = 4;
	if (i >= n || p[i] != 0x55) /* push %rbp or %ebp */
		return false;
	*pushed = before > i;
	i++;
	if (n < i + rex + 2 || (rex && p[i] != 0x48) ||
	    (memcmp(p + i + rex, mov[0], 2) != 0 &&
		memcmp(p + i + rex, mov[1], 2) != 0)) {
		*pushed = false;
		return false;
	}
	return before >= i + rex + 2;
}

/*
 * One of 16: there are leaves, and symbols of assembler. A kernel that was
 * compiled without has hardly any.
 */
bool
fp_has_frames(const struct uelf *e, const struct unwind_abi *abi)
{
	uint8_t code[RECORD];
	uint64_t start;
	unsigned n = 0, framed = 0;
	bool pushed;

	for (size_t i = 0; n < LOOKS && (start = uelf_sample(e, i, LOOKS)) != 0;
	     i++, n++) {
		const size_t len = uelf_bytes(e, start, code, sizeof code);

		framed += x86_record(code, len, len, abi->word, &pushed);
	}
	return n == 0 || framed * 16 >= n;
}

/* add x29, sp, #n (mov x29, sp is n = 0) */
static bool
aarch64_record(const uint8_t *p, size_t before)
{
	for (size_t i = 0; i + 4 <= before; i += 4)
		if ((insn_word(p + i) & 0xff8003ff) == 0x910003fd)
			return true;
	return false;
}

/*
 * addi s0, sp, n, or its short form c.addi4spn s0, n; and before it, in all
 * but leaves, sd ra, n(sp) or c.sdsp ra, n: without it, *saved is false, and
 * the record holds only the frame pointer, where the address would be.
 */
static bool
riscv_record(const uint8_t *p, size_t before, bool *saved)
{
	size_t i = 0;

	*saved = false;
	while (i + 2 <= before) {
		uint32_t w = (uint32_t)p[i] | (uint32_t)p[i + 1] << 8;

		if ((w & 3) != 3) {
			if ((w & 0xe01f) == 0x0000 && w != 0)
				return true;
			if ((w & 0xe07f) == 0xe006)
				*saved = true;
			i += 2;
			continue;
		}
		if (i + 4 > before)
			break;
		w = insn_word(p + i);
		if ((w & 0x000fffff) == 0x00010413)
			return true;
		if ((w & 0x01fff07f) == 0x00113023)
			*saved = true;
		i += 4;
	}
	return false;
}

/* addi.d fp, sp, frame; and before or after it st.d or stptr.d of fp and ra */
bool
loong_record(const uint8_t *p, size_t before, int64_t *up)
{
	int64_t frame = 0, fp = 0, off;
	bool stored = false;

	for (size_t i = 0; i + 4 <= before; i += 4) {
		const uint32_t w = insn_word(p + i), imm = w >> 10 & 0x7ff;

		if ((w & 0xffe003ff) == 0x02c00076)
			frame = imm;
		if ((w & 0xffe003e0) == 0x29c00060)
			off = imm;
		else if ((w & 0xff8003e0) == 0x27000060)
			off = 4 * (int64_t)(w >> 10 & 0x1fff);
		else
			continue;
		stored = stored || (w & 31) == 1;
		fp = (w & 31) == 22 ? off : fp;
	}
	*up = stored ? 0 : fp - frame;
	return frame != 0;
}

/* call rel32 is 5 bytes, a call through a register or memory 2 to 7. */
static bool
x86_is_return(const struct fp_code *c, uint64_t addr)
{
	uint8_t code[7];

	if (c->code(c->code_arg, addr - 7, code, 7) != 7)
		return false;
	if (code[2] == 0xe8)
		return true;
	for (int i = 0; i < 6; i++)
		if (code[i] == 0xff && (code[i + 1] & 0x38) == 0x10)
			return true;
	return false;
}

bool
fp_is_return(const struct fp_code *c, uint64_t addr)
{
	uint8_t p[4];
	uint32_t w;

	if (c->abi->x86)
		return x86_is_return(c, addr);
	if (c->code(c->code_arg, addr - 4, p, 4) != 4)
		return false;
	w = insn_word(p);
	if (c->arch == UNWIND_AARCH64) /* bl, blr and its signed kinds */
		return w >> 26 == 0x25 || (w & 0xfefff000) == 0xd63f0000;
	if (c->arch == UNWIND_LOONGARCH64) /* bl; jirl ra */
		return w >> 26 == 0x15 || (w & 0xfc00001f) == 0x4c000001;
	/* jal ra, jalr ra, c.jalr */
	return (w & 0xfff) == 0x0ef || (w & 0x7fff) == 0x00e7 ||
	       (w >> 16 & 0xf07f) == 0x9002;
}

/* A leaf's return address: the first word of its frame that follows a call. */
static int
x86_leaf(const struct fp_code *c, struct unwind_regs *regs, bool pushed,
    unwind_read *read, void *arg, uint64_t *bad)
{
	uint64_t sp = regs->r[c->abi->sp], word;
	int words = pushed ? 1 : LEAF_WORDS;

	if (pushed) {
		if (read(arg, sp, &word) != 0) {
			*bad = sp;
			return -1;
		}
		regs->r[c->abi->fp] = word;
		sp += c->abi->word;
	}
	for (int i = 0; i < words; i++, sp += c->abi->word) {
		if (read(arg, sp, &word) != 0) {
			*bad = sp;
			return i == 0 ? -1 : 1;
		}
		if (!pushed && !x86_is_return(c, word))
			continue;
		regs->r[c->abi->pc] = word;
		regs->r[c->abi->sp] = sp + c->abi->word;
		return 0;
	}
	return 1;
}

/*
 * A leaf with half a record, its caller's frame pointer at `at`: the address is
 * in its register.
 */
static int
half_leaf(const struct fp_code *c, struct unwind_regs *regs, uint64_t at,
    unwind_read *read, void *arg, uint64_t *bad)
{
	uint64_t fp = regs->r[c->abi->fp], up;

	if (read(arg, at, &up) != 0) {
		*bad = at;
		return -1;
	}
	regs->r[c->abi->fp] = up;
	regs->r[c->abi->sp] = fp;
	regs->r[c->abi->pc] = regs->r[c->abi->ra];
	return 0;
}

/*
 * The CPU's own function, when it has no record at this moment. Returns 0 when
 * that was the step, 1 when the record is to be used, -1 for a bad read.
 */
static int
leaf_step(const struct fp_code *c, struct unwind_regs *regs, unwind_read *read,
    void *arg, uint64_t *bad)
{
	uint64_t pc = regs->r[c->abi->pc], fp = regs->r[c->abi->fp];
	uint64_t end;
	uint64_t start = c->e ? uelf_function(c->e, pc - c->bias, &end) : 0;
	uint8_t code[PROLOGUE];
	size_t before, n;
	bool pushed, saved;
	int64_t up;

	if (start == 0)
		return 1;
	start += c->bias;
	n = pc - start < PROLOGUE - RECORD ? (size_t)(pc - start) + RECORD
					   : PROLOGUE;
	n = c->code(c->code_arg, start, code, n);
	before = pc - start < n ? (size_t)(pc - start) : n;
	switch (c->arch) {
	case UNWIND_X86_64:
	case UNWIND_I386:
		if (x86_record(code, n, before, c->abi->word, &pushed)) {
			/* At a ret the record is gone again. */
			if (c->code(c->code_arg, pc, code, 1) != 1 ||
			    code[0] != 0xc3)
				return 1;
		}
		return x86_leaf(c, regs, pushed, read, arg, bad);
	case UNWIND_AARCH64:
		if (aarch64_record(code, before))
			return 1;
		break;
	case UNWIND_LOONGARCH64:
		if (!loong_record(code, before, &up))
			break;
		return up == 0 ? 1
			       : half_leaf(c, regs, fp + (uint64_t)up, read,
				     arg, bad);
	default:
		if (!riscv_record(code, before, &saved))
			break;
		return saved ? 1 : half_leaf(c, regs, fp - 8, read, arg, bad);
	}
	regs->r[c->abi->pc] = regs->r[c->abi->ra];
	return 0;
}

bool
fp_interrupted(const struct fp_code *c, uint64_t at, struct unwind_regs *regs,
    uint64_t *status, unwind_read *read, void *arg)
{
	const uint64_t n = c->abi->word;
	uint64_t rip, cs, flags, sp, ss = 0;

	if (!c->abi->x86 || read(arg, at, &rip) != 0 || rip == 0 ||
	    x86_is_return(c, rip) || read(arg, at + n, &cs) != 0 ||
	    read(arg, at + 2 * n, &flags) != 0)
		return false;
	if (n == 4 && (cs & 3) == 0)
		sp = at + 3 * n;
	else if (read(arg, at + 3 * n, &sp) != 0 ||
		 read(arg, at + 4 * n, &ss) != 0)
		return false;
	/* Bit 1 of the flags is always set, 3, 5 and 15 never. */
	if (cs == 0 || cs > 0xffff || (cs & 4) != 0 || ss > 0xffff ||
	    (flags & 0xffffffff0000802a) != 2 || (sp & (n - 1)) != 0 || sp == 0)
		return false;
	regs->r[c->abi->pc] = rip;
	regs->r[c->abi->sp] = sp;
	*status = cs;
	return true;
}

int
fp_step(const struct fp_code *c, struct unwind_regs *regs, unwind_read *read,
    void *arg, enum unwind_end *end, uint64_t *bad)
{
	const struct record *rec = &records[c->arch];
	uint64_t fp = regs->r[c->abi->fp], sp = regs->r[c->abi->sp];
	uint64_t at, ra, up, cs;

	*end = UNWIND_MEMORY;
	if (c->inner) {
		int status = leaf_step(c, regs, read, arg, bad);

		if (status <= 0)
			return status;
	}
	if (fp == 0) {
		*end = UNWIND_ZERO;
		return -1;
	}
	if ((fp & (c->abi->word - 1u)) != 0 ||
	    (!c->switched &&
		(fp + (uint64_t)rec->sp < sp || fp - sp > FP_REACH))) {
		*end = UNWIND_INNER;
		return -1;
	}
	at = fp + (uint64_t)rec->ra;
	if (read(arg, at, &ra) != 0 ||
	    read(arg, at = fp + (uint64_t)rec->fp, &up) != 0) {
		*bad = at;
		return -1;
	}
	regs->r[c->abi->fp] = up;
	regs->r[c->abi->sp] = fp + (uint64_t)rec->sp;
	regs->r[c->abi->pc] = ra;
	return fp_interrupted(c, fp + c->abi->word, regs, &cs, read, arg) ? 1
									  : 0;
}
