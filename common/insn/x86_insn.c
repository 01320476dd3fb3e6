/* SPDX-License-Identifier: ISC */
/* Opcodes, and what follows them: Intel's manual, volume 2. */
#include "insn/x86_insn.h"

#include <stdbool.h>
#include <string.h>

enum { VECTOR = 0x200, HALF = 0x66 };

/*
 * M: ModRM; b, w, z, q: a number of 8 or 16 bits, of an operand's, of an
 * address's size; B, Z: ModRM, and b or z; a: an address of 32 bits; f: with a
 * segment; e: w and b; -: a prefix, or nothing.
 */
static const char one[] = "MMMMbz--MMMMbz--MMMMbz--MMMMbz--"
			  "MMMMbz--MMMMbz--MMMMbz--MMMMbz--"
			  "----------------................"
			  "---M----zZbB....bbbbbbbbbbbbbbbb"
			  "BZ-BMMMMMMMMMMMM..........-....."
			  "qqqq....bz......bbbbbbbbzzzzzzzz"
			  "BBw.--BZ-.w..b-.MMMM---.MMMMMMMM"
			  "bbbbbbbbzz-b....-.--..MM......MM";

static const char one_32[] = "MMMMbz..MMMMbz.-MMMMbz..MMMMbz.."
			     "MMMMbz-.MMMMbz-.MMMMbz-.MMMMbz-."
			     "................................"
			     "..MM----zZbB....bbbbbbbbbbbbbbbb"
			     "BZBBMMMMMMMMMMMM..........f....."
			     "aaaa....bz......bbbbbbbbzzzzzzzz"
			     "BBw.MMBZe.w..b..MMMMbb..MMMMMMMM"
			     "bbbbbbbbzzfb....-.--..MM......MM";

/* After 0f. */
static const char two[] = "MMMM-........M.BMMMMMMMMMMMMMMMM"
			  "MMMM----MMMMMMMM......-.--------"
			  "MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM"
			  "MMMMMMMMMMMMMMMMBBBBMMM.MM--MMMM"
			  "zzzzzzzzzzzzzzzzMMMMMMMMMMMMMMMM"
			  "...MBM--...MBMMMMMMMMMMMMMBMMMMM"
			  "MMBMBBBM........MMMMMMMMMMMMMMMM"
			  "MMMMMMMMMMMMMMMMMMMMMMMMMMMMMMMM";

/* What is still to be read. */
struct rest {
	const uint8_t *p;
	size_t n;
	unsigned rex;
	bool is_32, half;
	bool failed;
};

static uint8_t
byte(struct rest *r)
{
	if (r->n == 0) {
		r->failed = true;
		return 0;
	}
	r->n--;
	return *r->p++;
}

/* A number of that many bytes; of 8, the lower half. */
static int32_t
number(struct rest *r, size_t n)
{
	uint32_t v = 0;

	for (size_t i = 0; i < n; i++) {
		const uint32_t c = byte(r);

		v |= i < 4 ? c << 8 * i : 0;
	}
	return n == 1 ? (int8_t)v : n == 2 ? (int16_t)v : (int32_t)v;
}

static void
modrm(struct rest *r, struct x86_insn *x)
{
	unsigned m = byte(r), sib;
	bool far;

	x->mod = m >> 6;
	x->reg = (m >> 3 & 7) | (r->rex & 4) << 1;
	x->rm = (m & 7) | (r->rex & 1) << 3;
	if (x->mod == X86_IS_REG)
		return;
	if ((m & 7) == X86_SP) {
		sib = byte(r);
		x->index = (sib >> 3 & 7) | (r->rex & 2) << 2;
		if (x->index == X86_SP)
			x->index = X86_NONE;
		x->rm = (sib & 7) | (r->rex & 1) << 3;
	}
	far = x->mod == 0 && (x->rm & 7) == X86_BP;
	if (far)
		x->rm = X86_NONE;
	if (far || x->mod == 2)
		x->disp = number(r, 4);
	else if (x->mod == 1)
		x->disp = number(r, 1);
}

/* After VEX's or EVEX's first byte; they do nothing to the stack. */
static void
vector(struct rest *r, uint8_t first, struct x86_insn *x)
{
	unsigned map = first == 0xc5 ? 1 : byte(r), op;

	map &= first == 0x62 ? 7 : 31;
	number(r, first == 0x62 ? 2 : 1);
	op = byte(r);
	x->op = VECTOR;
	if (map == 1 && op == 0x77)
		return;
	modrm(r, x);
	if (map == 3 || (map == 1 && two[op] == 'B'))
		byte(r);
}

static void
operands(struct rest *r, char kind, struct x86_insn *x)
{
	if (kind == 'M' || kind == 'B' || kind == 'Z')
		modrm(r, x);
	/* Of these groups, only test has a number. */
	if (x->op == 0xf6 && (x->reg & 7) < 2)
		kind = 'b';
	if (x->op == 0xf7 && (x->reg & 7) < 2)
		kind = 'z';
	if ((x->op & ~7u) == 0xb8 && (r->rex & 8))
		kind = 'q';
	if ((x->op & ~15u) == 0x50 || (x->op & ~7u) == 0xb8)
		x->reg = (x->op & 7) | (r->rex & 1) << 3;
	if (kind == 'b' || kind == 'B')
		x->imm = number(r, 1);
	else if (kind == 'w' || kind == 'e')
		x->imm = number(r, 2);
	else if (kind == 'a' || kind == 'f')
		x->imm = number(r, 4);
	else if (kind == 'z' || kind == 'Z')
		x->imm = number(r, r->half ? 2 : 4);
	else if (kind == 'q')
		x->imm = number(r, 8);
	if (kind == 'e' || kind == 'f')
		number(r, kind == 'e' ? 1 : 2);
	r->failed = r->failed || kind == '-';
}

/* The opcode after 0f, and what follows it. */
static void
second(struct rest *r, struct x86_insn *x)
{
	unsigned c = byte(r);
	char kind = two[c];

	x->op = 0x100 + c;
	if (c == 0x38 || c == 0x3a) {
		byte(r);
		kind = c == 0x38 ? 'M' : 'B';
	}
	/* Jumps are of 32 bits whatever is before them. */
	r->half = false;
	operands(r, kind, x);
}

/* Of 32 bits, les, lds and bound begin so, which have no register. */
static bool
is_vector(const struct rest *r, uint8_t c)
{
	return (c == 0xc4 || c == 0xc5 || c == 0x62) &&
	       (!r->is_32 || (r->n > 0 && *r->p >= 0xc0));
}

static int
read_one(const uint8_t *p, size_t n, bool is_32, struct x86_insn *x)
{
	static const char prefixes[] = "\x66\x67\xf0\xf2\xf3\x2e\x36\x3e"
				       "\x26\x64\x65";
	struct rest r = {.p = p, .n = n, .is_32 = is_32};
	uint8_t c = byte(&r);

	*x = (struct x86_insn){
	    .mod = X86_NO_MODRM, .rm = X86_NONE, .index = X86_NONE};
	while (c != 0 && strchr(prefixes, c) != NULL) {
		r.half = r.half || c == HALF;
		r.failed = r.failed || (is_32 && c == 0x67);
		c = byte(&r);
	}
	if (!is_32 && (c & 0xf0) == 0x40) {
		r.rex = c;
		c = byte(&r);
	}
	x->op = c;
	if (c == 0x0f) {
		second(&r, x);
	} else if (is_vector(&r, c)) {
		vector(&r, c, x);
	} else {
		/* REX.W outdoes the prefix, and so do calls and jumps. */
		if ((r.rex & 8) || c == 0xe8 || c == 0xe9)
			r.half = false;
		operands(&r, (is_32 ? one_32 : one)[c], x);
	}
	x->len = n - r.n;
	return r.failed ? -1 : 0;
}

bool
x86_pushes(const struct x86_insn *x)
{
	return (x->op & ~7u) == 0x50 || x->op == 0x68 || x->op == 0x6a ||
	       x->op == 0x9c || (x->op & ~8u) == 0x1a0 ||
	       (x->op == 0xff && (x->reg & 7) == 6);
}

int
x86_insn(const uint8_t *p, size_t n, struct x86_insn *x)
{
	return read_one(p, n, false, x);
}

int
x86_insn_32(const uint8_t *p, size_t n, struct x86_insn *x)
{
	return read_one(p, n, true, x);
}
