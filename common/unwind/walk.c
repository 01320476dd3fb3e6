/* SPDX-License-Identifier: ISC */
/* A step: its stages, and what the caller's rules mean. */
#include "unwind/walk.h"

#include "unwind/read.h"
#include "unwind/guess.h"
#include "unwind/tables.h"
#include "unwind/entries.h"
#include "unwind/walk_arm.h"
#include "base/num.h"
#include "insn/arm.h"
#include "insn/risc.h"
#include "insn/x86_frame.h"

/* The code with which a program starts, of the dynamic linker, too. */
enum { ENTRY = 64 };

/* The most that is taken from a stack pointer to align it. */
enum { ODD_MAX = 15 };

/* The lower half for a processor of 32 bits. */
static uint64_t
word(const struct walk *w, uint64_t v)
{
	return w->u->abi->word == 4 ? (uint32_t)v : v;
}

static enum stage_result
evaluate(struct walk *w, const struct expr_env *env, int reg, uint64_t *to)
{
	const enum expr_result r = cfi_eval(w->caller, reg, env, to);

	*to = word(w, *to);
	return r == EXPR_OK ? STAGE_FOUND
			    : walk_end(w, r == EXPR_MEMORY ? UNWIND_MEMORY
							   : UNWIND_RULE);
}

static enum stage_result
read_word(struct walk *w, uint64_t addr, uint64_t *to)
{
	return walk_memory(w, addr, to) == 0 ? STAGE_FOUND
					     : walk_end(w, UNWIND_MEMORY);
}

/* Adds what was taken from the stack pointer to align it. */
static enum stage_result
add_odd(struct walk *w, const struct caller *c, uint64_t reg, uint64_t *cfa)
{
	uint64_t odd = w->regs.r[c->plus];
	enum stage_result r = STAGE_FOUND;

	if (c->cfa == CFA_SUM_WORD)
		r = read_word(w, reg + (uint64_t)c->word, &odd);
	else if (!walk_knows(w, c->plus))
		odd = UINT64_MAX;
	*cfa += odd;
	return r == STAGE_FOUND && odd > ODD_MAX ? walk_end(w, UNWIND_UNSAVED)
						 : r;
}

static enum stage_result
find_cfa(struct walk *w, struct expr_env *env)
{
	const struct caller *c = w->caller;
	const uint64_t reg = w->regs.r[c->cfa_reg];
	enum stage_result r = STAGE_FOUND;

	if (c->cfa == CFA_EXPR) {
		r = evaluate(w, env, CFI_CFA, &env->cfa);
	} else if (c->cfa == CFA_WORD) {
		r = read_word(w, reg + (uint64_t)c->word, &env->cfa);
		env->cfa += (uint64_t)c->cfa_off;
	} else {
		env->cfa = reg + (uint64_t)c->cfa_off;
	}
	if (c->cfa == CFA_SUM || c->cfa == CFA_SUM_WORD)
		r = add_odd(w, c, reg, &env->cfa);
	env->cfa = word(w, env->cfa);
	return r;
}

/* Gives the register its value in the caller. */
static enum stage_result
follow(struct walk *w, const struct caller_rule *r, const struct expr_env *env,
    uint64_t *to)
{
	const uint64_t off = (uint64_t)r->off;

	switch (r->how) {
	case CALLER_AT:
		return read_word(w, env->cfa + off, to);
	case CALLER_AT_FP:
		return read_word(w, w->regs.r[w->u->abi->fp] + off, to);
	case CALLER_VALUE:
		*to = word(w, env->cfa + off);
		return STAGE_FOUND;
	case CALLER_REG:
		*to = w->regs.r[off];
		return STAGE_FOUND;
	case CALLER_IS:
		*to = off;
		return STAGE_FOUND;
	case CALLER_EXPR:
		return evaluate(w, env, r->reg, to);
	default:
		return STAGE_FOUND; /* lost: nothing asks for it */
	}
}

/* Follows the caller's rules; without one for the pc it is in ra. */
static enum stage_result
follow_all(struct walk *w, const struct expr_env *env, struct unwind_regs *up)
{
	const struct unwind_abi *abi = w->u->abi;
	bool has_pc = abi->pc != abi->ra, own_pc = false;
	uint64_t status = 0;

	for (unsigned i = 0; i < w->caller->n; i++) {
		const struct caller_rule *r = &w->caller->rule[i];
		const bool lost = r->how == CALLER_LOST;
		uint64_t *to =
		    r->reg == CALLER_STATUS ? &status : &up->r[r->reg];

		if (follow(w, r, env, to) != STAGE_FOUND)
			return STAGE_END;
		if (r->reg == CALLER_STATUS)
			up->mode = lost ? UNWIND_MODE_UNKNOWN
					: unwind_mode_of(w->u->arch, status);
		else if (!lost)
			w->known |= 1ULL << r->reg;
		own_pc = own_pc || r->reg == abi->pc;
	}
	if (!own_pc && !has_pc)
		return walk_end(w, UNWIND_UNSAVED);
	if (!own_pc)
		up->r[abi->pc] = up->r[abi->ra];
	up->r[abi->pc] = walk_unsigned(w, up->r[abi->pc]);
	return STAGE_FOUND;
}

/* Replaces the registers by the caller's. */
static enum stage_result
apply(struct walk *w)
{
	const uint8_t sp = w->u->abi->sp;
	const struct caller *c = w->caller;
	struct unwind_regs up = w->regs;
	struct expr_env env = {.abi = w->u->abi,
	    .regs = &w->regs,
	    .bias = w->m != NULL ? w->m->bias : 0,
	    .read = walk_memory,
	    .arg = w,
	    .bad = &w->st->bad};

	if (find_cfa(w, &env) != STAGE_FOUND)
		return STAGE_END;
	if (!c->interrupted && !c->switched && env.cfa < w->regs.r[sp])
		return walk_end(w, UNWIND_INNER);
	up.r[sp] = env.cfa;
	w->known = (w->known | 1ULL << sp) & c->keep;
	if (follow_all(w, &env, &up) != STAGE_FOUND)
		return STAGE_END;
	if (up.mode == UNWIND_MODE_USER && c->own_sp) {
		if (c->user_sp.how == CALLER_LOST)
			w->known &= ~(1ULL << sp);
		else if (follow(w, &c->user_sp, &env, &up.r[sp]) != STAGE_FOUND)
			return STAGE_END;
	}
	w->regs = up;
	return w->u->abi->arm && arm_exc_return(up.r[w->u->abi->pc])
		   ? walk_leave_exception(w)
		   : STAGE_FOUND;
}

/* Whether a frame record that leads nowhere is that of the function. */
static bool
has_record(const struct walk *w)
{
	struct risc_frame f = {0};

	if (w->u->abi->x86)
		return w->by_record && !w->exact && w->m != NULL;
	if (w->u->abi->arm)
		return caller_find(w->caller, w->u->abi->ra) != NULL;
	return walk_called(w, 0, &f, &f.record) && f.record;
}

/* Whether the address that was found follows a call, or is an end. */
static bool
follows_call(struct walk *w, uint64_t pc)
{
	bool good;

	w->any_code = true;
	good = walk_no_caller(w, pc) ? w->m == NULL || w->m->frames
				     : walk_is_return(w, pc);
	w->any_code = false;
	return good;
}

/*
 * Whether the function was begun by a return, for which its own address was in
 * the register of return addresses, and not by a call of itself.
 */
static bool
is_own_start(struct walk *w, uint64_t pc)
{
	const struct unwind_abi *abi = w->u->abi;
	const uint64_t no_code = w->no_code;
	struct function own;
	bool start;

	if (abi->x86 || abi->arm || w->caller->interrupted || w->m == NULL)
		return false;
	own = walk_function(w->m, w->lookup);
	start = own.size > 0 && pc == own.start && !walk_is_return(w, pc);
	w->no_code = no_code;
	return start;
}

/*
 * Whether what was found may be the caller; else why the stack ends. Tables of
 * a program's first function have a caller all the same.
 */
static enum stage_result
prove(struct walk *w)
{
	const uint64_t pc = w->regs.r[w->u->abi->pc];

	if (is_own_start(w, pc))
		return walk_end(w, UNWIND_ROOT);
	if (w->guessed && !follows_call(w, pc))
		return walk_end(
		    w, has_record(w) ? UNWIND_UNPROVEN : UNWIND_UNSAVED);
	if (walk_no_caller(w, pc) ||
	    (!w->guessed && (w->caller->interrupted || w->caller->switched)) ||
	    walk_leads(w, pc))
		return STAGE_FOUND;
	return walk_end(w, UNWIND_UNSAVED);
}

/*
 * Whether nobody called the function: a program starts there, or it has called
 * without saving the return address, which is lost thereby, or has begun a
 * stack. Of arm, walk_arm() tells.
 */
static bool
is_start(const struct walk *w)
{
	struct function f;
	struct risc_frame frame = {0};

	if (w->m != NULL && w->m->program && w->m->e->entry != 0 &&
	    w->lookup - w->m->bias - w->m->e->entry < ENTRY)
		return true;
	if (w->u->abi->x86) {
		f = walk_function(w->m, w->lookup);
		return !w->exact && f.code != NULL &&
		       x86_starts(f.code, f.n, f.at);
	}
	return walk_called(w, 0, &frame, &frame.saves_ra) && !frame.saves_ra;
}

/*
 * Whether code of no file is a program's: in user mode, or in machine mode if
 * the kernel takes the traps of that.
 */
static bool
in_program(const struct walk *w)
{
	const uint64_t vector = w->regs.machine_vector & ~UINT64_C(3);

	return w->regs.mode == UNWIND_MODE_USER ||
	       (w->regs.mode == UNWIND_MODE_FIRMWARE &&
		   unwinder_find(w->u, vector) != NULL);
}

int
walk_step(struct walk *w)
{
	static walk_stage *const stages[] = {stage_vector, stage_rule,
	    stage_orc, stage_go, stage_cfi, stage_starts, stage_entry,
	    stage_frames, stage_code};
	enum stage_result r = STAGE_NEXT;

	w->lookup = w->regs.r[w->u->abi->pc] - !w->exact;
	w->m = walk_find(w, w->lookup);
	w->caller = &w->made;
	w->switched = false;
	w->guessed = w->by_record = false;
	w->no_code = 0;
	for (size_t i = 0;
	     r == STAGE_NEXT && i < sizeof stages / sizeof *stages; i++)
		r = stages[i](w);
	if (r == STAGE_FOUND)
		r = apply(w);
	if (r == STAGE_FOUND && w->u->abi->arm && walk_begins(w))
		r = walk_end(w, UNWIND_ROOT);
	if (r == STAGE_FOUND)
		r = prove(w);
	if (r == STAGE_END && w->st->end >= UNWIND_UNPROVEN && is_start(w))
		walk_end(w, UNWIND_ROOT);
	if (r == STAGE_END && w->m == NULL && w->st->end == UNWIND_UNSAVED &&
	    in_program(w))
		walk_end(w, UNWIND_PROGRAM);
	if (w->no_code != 0) {
		w->st->bad = w->no_code;
		w->st->code = true;
		r = walk_end(w, UNWIND_MEMORY);
	}
	return r == STAGE_FOUND ? 0 : -1;
}
