/* SPDX-License-Identifier: ISC */
/*
 * The stages without tables: by frame pointers, and by the code of functions
 * that have none, as those of arm. A function that a CPU is in need not have
 * its frame record yet, or at all (a leaf): then the return address is where
 * the call put it, at the stack pointer or in a register, and the frame pointer
 * is the caller's.
 */
#include "unwind/guess.h"

#include "insn/risc.h"
#include "insn/x86_frame.h"
#include "unwind/walk_arm.h"
#include "unwind/entries.h"
#include "unwind/read.h"
#include "unwind/walk.h"

/* The stack that a frame pointer can point into begins at sp. */
enum { REACH = 1 << 20 };

enum { PROLOGUE = 256, LEAF_WORDS = 8 };

/* Places of the caller's registers: words from the frame pointer. */
static const struct {
	int8_t fp, ra, sp;
} records[UNWIND_ARCHS] = {
    [UNWIND_X86_64] = {0, 1, 2},
    [UNWIND_AARCH64] = {0, 1, 2},
    [UNWIND_RISCV32] = {-2, -1, 0},
    [UNWIND_RISCV64] = {-2, -1, 0},
    [UNWIND_I386] = {0, 1, 2},
    [UNWIND_LOONGARCH64] = {-2, -1, 0},
};

/*
 * A leaf's return address: above the frame pointer, if that was pushed, or else
 * the first word of its frame that follows a call.
 */
static enum stage_result
x86_leaf(struct walk *w, bool pushed)
{
	const struct unwind_abi *abi = w->u->abi;
	const unsigned n = abi->word;
	uint64_t word;
	unsigned i = pushed;

	for (; !pushed; i++) {
		if (i == LEAF_WORDS)
			return STAGE_NEXT;
		if (walk_memory(w, w->regs.r[abi->sp] + i * n, &word) != 0)
			return i == 0 ? walk_end(w, UNWIND_MEMORY) : STAGE_NEXT;
		if (walk_is_return(w, word))
			break;
	}
	caller_init(&w->made, abi->sp, (i + 1) * n);
	caller_add(&w->made, abi->pc, CALLER_AT, -(int64_t)n);
	if (pushed)
		caller_add(&w->made, abi->fp, CALLER_AT, -2 * (int64_t)n);
	return STAGE_FOUND;
}

/*
 * The CPU's own function, when it has no complete record at this moment.
 * STAGE_NEXT: it has one.
 */
static enum stage_result
leaf(struct walk *w)
{
	const struct unwind_abi *abi = w->u->abi;
	const uint64_t pc = w->regs.r[abi->pc];
	const struct function in = walk_function(w->m, pc);
	uint8_t code[PROLOGUE];
	struct risc_frame f;
	size_t before, n;
	unsigned ra;
	bool pushed;

	if (in.size == 0)
		return STAGE_NEXT;
	n = in.at < PROLOGUE - X86_RECORD ? (size_t)in.at + X86_RECORD
					  : PROLOGUE;
	n = walk_code(w, in.start, code, n);
	before = in.at < n ? (size_t)in.at : n;
	if (abi->x86) {
		/* Compilers may put other instructions between those that set
		 * the frame pointer. */
		if (w->u->arch == UNWIND_X86_64 &&
		    walk_by_return(w) == STAGE_FOUND)
			return STAGE_FOUND;
		if (!x86_record(code, n, before, abi->word, &pushed))
			return x86_leaf(w, pushed);
		/* Before a ret the record is gone again. */
		n = walk_code(w, pc, code, X86_RECORD);
		return x86_left(code, n, abi->word) ? x86_leaf(w, false)
						    : STAGE_NEXT;
	}
	if (risc_frame(w->u->arch, code, before, &f, NULL) && f.up == 0)
		return STAGE_NEXT;
	/* The address is in a register; of half a record, fp is stored. */
	ra = abi->riscv ? f.ra : abi->ra;
	if (ra == RISC_NONE || !walk_knows(w, ra))
		return walk_end(w, UNWIND_UNSAVED);
	caller_init(&w->made, f.up != 0 ? abi->fp : abi->sp, 0);
	caller_add(&w->made, abi->pc, CALLER_REG, ra);
	if (f.up != 0)
		caller_add(&w->made, abi->fp, CALLER_AT, f.up);
	return STAGE_FOUND;
}

/*
 * A function of riscv that has called, and keeps the return address in a
 * register, as Linux' copies to user mode do: the frame pointer is its
 * caller's.
 */
static enum stage_result
in_register(struct walk *w)
{
	struct risc_frame f;

	/* with the call */
	if (!w->u->abi->riscv || !walk_called(w, 1, &f, NULL) || f.record ||
	    f.ra == RISC_NONE || f.ra == w->u->abi->ra)
		return STAGE_NEXT;
	if (!walk_knows(w, f.ra))
		return walk_end(w, UNWIND_UNSAVED);
	caller_init(&w->made, w->u->abi->sp, 0);
	caller_add(&w->made, w->u->abi->pc, CALLER_REG, f.ra);
	w->made.switched = true; /* it has no frame */
	return STAGE_FOUND;
}

/*
 * The end of the frame above its record, which is at the bottom on aarch64; 0:
 * not known.
 */
static int64_t
aarch64_top(const struct walk *w)
{
	const struct function in = walk_function(w->m, w->lookup);
	struct risc_frame f;

	risc_frame(w->u->arch, in.code, in.n < PROLOGUE ? in.n : PROLOGUE, &f,
	    &f.record);
	return f.top; /* without code, 0 */
}

static enum stage_result
by_record(struct walk *w)
{
	const struct unwind_abi *abi = w->u->abi;
	const int64_t up = records[w->u->arch].fp * abi->word;
	const int64_t ra = records[w->u->arch].ra * abi->word;
	const int64_t top = records[w->u->arch].sp * abi->word;
	int64_t cfa, above = 0;
	const uint64_t fp = w->regs.r[abi->fp], sp = w->regs.r[abi->sp];

	if (!walk_knows(w, abi->fp))
		return walk_end(w, UNWIND_UNSAVED);
	if (fp == 0)
		return walk_end(w, UNWIND_ZERO);
	if ((fp & (abi->word - 1u)) != 0 ||
	    (!w->switched && (fp + (uint64_t)top < sp || fp - sp > REACH)))
		return walk_end(w, UNWIND_INNER);
	if (w->u->arch == UNWIND_AARCH64)
		above = aarch64_top(w);
	cfa = above > top ? above : top;
	caller_init(&w->made, abi->fp, cfa);
	caller_add(&w->made, abi->fp, CALLER_AT, up - cfa);
	if (walk_pushed(w, fp + abi->word, fp + (uint64_t)top))
		return STAGE_FOUND;
	caller_add(&w->made, abi->pc, CALLER_AT, ra - cfa);
	if (w->u->arch == UNWIND_AARCH64 && above == 0)
		w->made.keep &= ~(1ULL << abi->sp);
	return STAGE_FOUND;
}

/*
 * Whether a frame pointer tells an end: 0, or one below the stack, that it is
 * corrupt. Code without frames has anything there; and where the kernel is
 * known, an address in no file may be a word of the stack that is not an
 * address.
 */
static bool
has_ends(const struct walk *w)
{
	for (size_t i = 0; w->m == NULL && i < w->u->n_mod; i++)
		if (!w->u->mod[i]->program)
			return false;
	return w->m == NULL || !w->u->abi->x86 ||
	       (w->m->frames && !cfi_any(w->m->e->cfi));
}

enum stage_result
stage_frames(struct walk *w)
{
	enum stage_result r;

	if (w->u->arch == UNWIND_X86_64 && w->m != NULL && !w->m->frames)
		return STAGE_NEXT;
	r = w->u->abi->arm ? walk_arm(w) : w->exact ? leaf(w) : in_register(w);
	if (r == STAGE_NEXT)
		r = by_record(w);
	if (r == STAGE_END && w->st->end != UNWIND_MEMORY && !has_ends(w))
		return walk_end(w, UNWIND_UNSAVED);
	w->made.switched = w->made.switched || w->switched;
	if (w->u->set.code != NULL && !w->made.interrupted)
		w->guessed = w->by_record = true;
	return r;
}

bool
walk_frames_differ(struct walk *w, uint64_t fp)
{
	const struct unwind_stack *st = w->st;
	const struct unwind_abi *abi = w->u->abi;
	const int64_t up = records[w->u->arch].fp * abi->word;
	const int64_t ra = records[w->u->arch].ra * abi->word;
	const struct unwind_module *m;
	uint64_t pc, next;
	bool lacks = false;
	size_t seen = 0, i;

	while ((fp & (abi->word - 1u)) == 0 &&
	       w->read(w->arg, fp + (uint64_t)up, &next) == 0 &&
	       w->read(w->arg, fp + (uint64_t)ra, &pc) == 0) {
		pc = walk_unsigned(w, pc);
		for (i = seen; i < st->n && st->frame[i].pc != pc; i++)
			;
		m = unwinder_find(w->u, pc);
		if (i < st->n && lacks)
			return true;
		if (i + 1 < st->n && st->frame[i + 1].exact)
			break; /* an entry may have anything there */
		if (i < st->n)
			seen = i;
		else if ((seen > 0 || st->n == 1) && m != NULL && m->records &&
			 walk_is_return(w, pc))
			lacks = true;
		else
			break; /* not a record, as a leaf's of riscv64 */
		if (next <= fp || next - fp > REACH)
			break;
		fp = next;
	}
	return lacks && st->end != UNWIND_ROOT;
}

/* A function is read so far to its ways out, of which so many are tried. */
enum { OUT_CODE = 8192, OUT_WAYS = 4 };

/*
 * By the ways that lead out of a function, where those that lead in do not come
 * to the place, as by a switch.
 */
static bool
by_way_out(struct walk *w)
{
	const struct unwind_abi *abi = w->u->abi;
	const uint64_t pc = w->regs.r[abi->pc];
	struct caller out[OUT_WAYS];
	uint8_t code[2 * OUT_CODE];
	size_t n, before = OUT_CODE;
	uint64_t ra;

	if (w->m == NULL || w->u->arch != UNWIND_X86_64)
		return false;
	if (!uelf_holds(w->m->e, pc - before - w->m->bias))
		before = 0; /* its first page */
	n = walk_code(w, pc - before, code, sizeof code);
	n = n > before ? x86_leave(code, n, before, out, OUT_WAYS) : 0;
	for (size_t i = 0; i < n; i++) {
		w->made = out[i];
		if (walk_knows(w, out[i].cfa_reg) &&
		    walk_memory(w,
			w->regs.r[out[i].cfa_reg] + (uint64_t)out[i].cfa_off -
			    abi->word,
			&ra) == 0 &&
		    walk_is_return(w, ra) && walk_leads(w, ra))
			return true;
	}
	return false;
}

enum stage_result
stage_code(struct walk *w)
{
	if ((!walk_by_code(w, &w->made) || !walk_knows(w, w->made.cfa_reg)) &&
	    !by_way_out(w))
		return walk_end(w, UNWIND_UNSAVED);
	w->guessed = true;
	return STAGE_FOUND;
}
