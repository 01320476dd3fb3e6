/* SPDX-License-Identifier: ISC */
#include "insn/x86_frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "insn/x86_insn.h"

enum { WAYS_MAX = 4096, FRAME_MAX = 1 << 20 };

/* DWARF's numbers; the others that are used are those of instructions. */
enum { DW_BP = 6, DW_SP = 7, DW_RA = 16 };

/*
 * Distances down from the CFA, the stack pointer before the call; 0: not
 * known, or not so.
 */
struct state {
	size_t at;	   /* the next instruction */
	int32_t sp;	   /* of the stack pointer */
	int32_t bp;	   /* of rbp, when it is a frame pointer */
	int32_t saved[16]; /* of the place where a register was saved */
	bool out;	   /* the way out: a place where one is loaded from, or
			      minus that where the way itself has put it */
};

/* The code, and the branches that are still to be followed. */
struct ways {
	const uint8_t *code;
	size_t n_code, at;
	struct state *way;
	size_t n, cap;
	int32_t *seen;	    /* two states at each instruction */
	struct state found; /* at `at` */
	unsigned n_found;   /* how many states came there */
};

/* Its place n further down, if there can be one. */
static int32_t
place_below(int32_t known, int64_t n)
{
	const int64_t to = known + n;

	return known != 0 && to > 0 && to <= FRAME_MAX ? (int32_t)to : 0;
}

static void
x86_branch(struct ways *w, const struct state *s, int64_t to, int32_t more)
{
	struct state *way;

	if (to <= 0 || (uint64_t)to >= w->n_code || w->n >= WAYS_MAX)
		return;
	way = xpush(w->way, w->n, w->cap);
	*way = *s;
	way->at = (size_t)to;
	way->sp = place_below(s->sp, more);
}

/* Registers that a call leaves as they were. */
static bool
is_kept(unsigned reg)
{
	return reg == 3 || reg == X86_BP || (reg >= 12 && reg <= 15);
}

/* The stack pointer moves down by n. */
static void
down(struct state *s, int64_t n)
{
	s->sp = place_below(s->sp, n);
}

/* A register is stored there; place 0: not on the stack. */
static void
x86_store(struct state *s, unsigned reg, int32_t place)
{
	if (place != 0 && is_kept(reg) && s->out)
		s->saved[reg] = -place;
	else if (place != 0 && is_kept(reg) && s->saved[reg] == 0 &&
		 !(reg == X86_BP && s->bp))
		s->saved[reg] = place;
}

/* A register is loaded from there; X86_NONE: none that is kept. */
static void
x86_load(struct state *s, unsigned reg, int32_t place)
{
	if (reg == X86_SP)
		s->sp = 0;
	if (reg == X86_BP)
		s->bp = 0;
	if (place != 0 && is_kept(reg) && s->out)
		s->saved[reg] = s->saved[reg] == -place ? 0 : place;
	else if (place != 0 && is_kept(reg) && s->saved[reg] == place)
		s->saved[reg] = 0;
}

/* mov between registers, or of a register to or from the stack. */
static void
x86_move(struct state *s, const struct x86_insn *x)
{
	bool load = x->op == 0x8b;
	unsigned to = load ? x->reg : x->rm, from = load ? x->rm : x->reg;
	int32_t place = 0;

	if (x->mod == X86_IS_REG) {
		if (to == X86_SP)
			s->sp = from == X86_BP ? s->bp : 0;
		else if (to == X86_BP)
			s->bp = from == X86_SP ? s->sp : 0;
		return;
	}
	if (x->rm == X86_SP && x->index == X86_NONE)
		place = place_below(s->sp, -(int64_t)x->disp);
	if (load)
		x86_load(s, to, place);
	else
		x86_store(s, from, place);
}

/* What lea gives, as a distance. */
static int32_t
x86_address(const struct state *s, const struct x86_insn *x)
{
	if (x->op != 0x8d || x->index != X86_NONE)
		return 0;
	return place_below(x->rm == X86_SP   ? s->sp
			   : x->rm == X86_BP ? s->bp
					     : 0,
	    -(int64_t)x->disp);
}

/* An instruction that computes a value into a register. */
static void
x86_compute(struct state *s, const struct x86_insn *x)
{
	enum { ADD = 0, SUB = 5, CMP = 7 };
	const bool group = x->op == 0x81 || x->op == 0x83;
	/* add, or, adc, sbb, and, sub, xor, cmp */
	const unsigned what = (group ? x->reg : x->op >> 3) & 7;
	const bool alu = x->op < 0x40 && what != CMP;
	unsigned to = X86_NONE;

	if (group ? what != CMP : alu && (x->op & 7) == 1)
		to = x->mod == X86_IS_REG ? x->rm : X86_NONE;
	else if (x->op == 0x8d || (alu && (x->op & 7) == 3))
		to = x->reg;
	if (to == X86_SP && group && (what == ADD || what == SUB))
		down(s, what == SUB ? x->imm : -(int64_t)x->imm);
	else if (to == X86_SP)
		s->sp = x86_address(s, x);
	else if (to == X86_BP)
		s->bp = x86_address(s, x);
}

static bool
pops(const struct x86_insn *x)
{
	return (x->op & ~7u) == 0x58 || x->op == 0x9d || x->op == 0x8f ||
	       (x->op & ~8u) == 0x1a1;
}

/* What the instruction does to the stack. */
static void
x86_effect(struct state *s, const struct x86_insn *x)
{
	/* The register that is pushed or popped, if the opcode names it. */
	const unsigned reg = (x->op & ~15u) == 0x50 ? x->reg : X86_NONE;

	if (x->op == 0x89 || x->op == 0x8b) {
		x86_move(s, x);
	} else if (x86_pushes(x)) {
		down(s, 8);
		x86_store(s, reg, s->sp);
	} else if (pops(x)) {
		x86_load(s, reg, s->sp);
		down(s, -8);
	} else if (x->op == 0xc9) { /* leave */
		s->sp = s->bp;
		x86_load(s, X86_BP, s->sp);
		down(s, -8);
	} else if (x->op == 0xc8 || x->op == 0x87) { /* enter; xchg */
		if (x->op == 0xc8 || x->reg == X86_SP ||
		    (x->mod == X86_IS_REG && x->rm == X86_SP))
			s->sp = 0;
	} else {
		x86_compute(s, x);
	}
}

/* Where a jump or call at place `at` leads, relative to the code. */
static int64_t
x86_target(size_t at, const struct x86_insn *x)
{
	return (int64_t)(at + x->len) + x->imm;
}

static bool
is_branch(const struct x86_insn *x)
{
	return (x->op & ~15u) == 0x70 || (x->op & ~15u) == 0x180 ||
	       (x->op & ~3u) == 0xe0;
}

static bool
is_jump(const struct x86_insn *x)
{
	return x->op == 0xe9 || x->op == 0xeb;
}

/* ret, iret, sysret, ud2, a jump by a register or memory */
static bool
is_end(const struct x86_insn *x)
{
	return (x->op & ~9u) == 0xc2 || x->op == 0xcf || x->op == 0x107 ||
	       x->op == 0x10b ||
	       (x->op == 0xff && ((x->reg & 7) == 4 || (x->reg & 7) == 5));
}

/* Whether nobody came here in this state; two states are enough to know. */
static bool
is_new(struct ways *w, const struct state *s)
{
	int32_t *seen = &w->seen[2 * s->at], key = s->sp ? s->sp : -1 - s->bp;

	if (seen[0] != 0 && (seen[0] == key || seen[1] != 0))
		return false;
	seen[seen[0] != 0] = key;
	return true;
}

/* Follows one way; the first state at w->at is kept. */
static void
x86_follow(struct ways *w, struct state s)
{
	struct x86_insn x;

	while (s.at < w->n_code && is_new(w, &s) &&
	       x86_insn(w->code + s.at, w->n_code - s.at, &x) == 0) {
		if (w->at - s.at < x.len) {
			w->found = s;
			w->n_found++;
		}
		if (x.op == 0xe8 || is_branch(&x) || is_jump(&x))
			x86_branch(
			    w, &s, x86_target(s.at, &x), x.op == 0xe8 ? 8 : 0);
		if (is_jump(&x) || is_end(&x))
			return;
		x86_effect(&s, &x);
		s.at += x.len;
	}
}

static void
set_caller(const struct state *s, struct caller *c)
{
	caller_init(c, s->sp ? DW_SP : DW_BP, s->sp ? s->sp : s->bp);
	caller_add(c, DW_RA, CALLER_AT, -8);
	for (unsigned reg = 0; reg < 16; reg++)
		if (is_kept(reg) && s->saved[reg] != 0)
			caller_add(c, reg == X86_BP ? DW_BP : reg, CALLER_AT,
			    -s->saved[reg]);
}

bool
x86_frame(const uint8_t *code, size_t n, size_t at, struct caller *c)
{
	struct ways w = {.code = code, .n_code = n, .at = at};

	if (n > X86_FRAME_CODE)
		return false;
	w.seen = xcalloc(2 * n, sizeof *w.seen);
	x86_follow(&w, (struct state){.sp = 8});
	while (w.n > 0 && w.n_found < 2)
		x86_follow(&w, w.way[--w.n]);
	free(w.seen);
	free(w.way);
	if (w.n_found != 1 || (w.found.sp == 0 && w.found.bp == 0))
		return false;
	set_caller(&w.found, c);
	return true;
}

enum jump
x86_jump(const uint8_t *code, size_t n, size_t *at, int64_t *to)
{
	struct x86_insn x;

	for (size_t i = *at; i < n; i = *at) {
		if (x86_insn(code + i, n - i, &x) != 0)
			return JUMP_ANYWHERE;
		*at = i + x.len;
		*to = x86_target(i, &x);
		if (is_jump(&x) || is_branch(&x))
			return JUMP_TO;
		if (x.op == 0xff && (x.reg & 7) == 4)
			return JUMP_ANYWHERE;
		/* mov to (%rsp), ret: a jump that processors cannot guess */
		if (x.op == 0x89 && x.mod == 0 && x.rm == X86_SP)
			return JUMP_ANYWHERE;
	}
	return JUMP_NONE;
}

/*
 * The way out begins at these distances, which tell whether a later one is from
 * the stack pointer or from rbp.
 */
enum { OUT_SP = 1 << 18, OUT_BP = 3 << 18, OUT_REACH = 1 << 17 };

/* Where the distance is counted from; 0: too far away to tell. */
static int32_t
out_base(int32_t place)
{
	return abs(place - OUT_SP) < OUT_REACH	 ? OUT_SP
	       : abs(place - OUT_BP) < OUT_REACH ? OUT_BP
						 : 0;
}

/* The caller by a state at ret. */
static void
set_left(const struct state *s, struct caller *c)
{
	const int32_t base = out_base(s->sp), cfa = s->sp - 8;

	caller_init(c, base == OUT_SP ? DW_SP : DW_BP, base - cfa);
	caller_add(c, DW_RA, CALLER_AT, -8);
	for (unsigned reg = 0; reg < 16; reg++) {
		const unsigned number = reg == X86_BP ? DW_BP : reg;

		if (!is_kept(reg) || s->saved[reg] == 0)
			continue;
		if (out_base(s->saved[reg]) == base)
			caller_add(c, number, CALLER_AT, cfa - s->saved[reg]);
		else
			caller_add(c, number, CALLER_LOST, 0);
	}
}

/* Follows one way to its ret, which is one of two at most. */
static bool
x86_follow_out(struct ways *w, struct state s)
{
	struct x86_insn x;

	while (s.at < w->n_code && is_new(w, &s) &&
	       x86_insn(w->code + s.at, w->n_code - s.at, &x) == 0) {
		if ((x.op & ~1u) == 0xc2) {
			w->found = s;
			return out_base(s.sp) != 0;
		}
		if (is_branch(&x) || is_jump(&x))
			x86_branch(w, &s, x86_target(s.at, &x), 0);
		if (is_jump(&x) || is_end(&x))
			return false;
		x86_effect(&s, &x);
		s.at += x.len;
	}
	return false;
}

size_t
x86_leave(
    const uint8_t *code, size_t n, size_t at, struct caller *c, size_t max)
{
	struct ways w = {.code = code, .n_code = n};
	struct state s = {.at = at, .sp = OUT_SP, .bp = OUT_BP, .out = true};
	size_t found = 0;
	int32_t sp = 0;

	w.seen = xcalloc(2 * n, sizeof *w.seen);
	for (;;) {
		if (x86_follow_out(&w, s) && w.found.sp != sp) {
			sp = w.found.sp;
			set_left(&w.found, &c[found++]);
		}
		if (found == max || w.n == 0)
			break;
		s = w.way[--w.n];
	}
	free(w.seen);
	free(w.way);
	return found;
}
