/* SPDX-License-Identifier: ISC */
/* Steps of 32-bit Arm, and Cortex-M's exceptions. */
#include "unwind/walk_arm.h"

#include "base/num.h"
#include "insn/arm.h"

#include "unwind/read.h"
#include "unwind/walk.h"

bool
walk_arm_frame(const struct walk *w, const struct function *f, struct caller *c)
{
	const uint64_t tracer = w->m->e->tracer;
	const struct arm_code code = {.p = f->code,
	    .n = f->n,
	    .thumb = walk_thumb(w, w->lookup),
	    .start = (uint32_t)f->start,
	    .tracer = tracer ? (uint32_t)(tracer + w->m->bias) : 0};

	return arm_frame(&code, f->at, c);
}

enum stage_result
walk_arm(struct walk *w)
{
	const struct function f = walk_function(w->m, w->lookup);
	const struct caller_rule *ra;

	if (f.code == NULL || !walk_arm_frame(w, &f, &w->made))
		return walk_end(w, UNWIND_UNSAVED);
	/* It has called without keeping it: nobody called this. */
	ra = caller_find(&w->made, w->u->abi->ra);
	if (ra != NULL && ra->how == CALLER_LOST)
		return walk_end(w, w->exact ? UNWIND_UNSAVED : UNWIND_ROOT);
	return walk_knows(w, w->made.cfa_reg) ? STAGE_FOUND
					      : walk_end(w, UNWIND_UNSAVED);
}

/*
 * After a reset, Cortex-M has all bits set in lr, and kernels such as xv6 begin
 * a program's stack so.
 */
bool
walk_no_caller(const struct walk *w, uint64_t pc)
{
	const uint64_t ones = w->u->abi->word == 4 ? UINT32_MAX : UINT64_MAX;

	return pc == 0 || (pc | w->u->abi->arm) == ones;
}

/* At a vector, what was interrupted is so far before lr, by the mode. */
static bool
at_vector(const struct unwind_regs *regs, uint64_t *pc)
{
	static const struct {
		uint8_t mode, after;
	} vectors[] = {[2] = {19, 0},
	    [3] = {23, 4},
	    [4] = {23, 8},
	    [6] = {18, 4},
	    [7] = {17, 4}};
	const struct unwind_abi *abi = &unwind_abis[UNWIND_ARM];
	const uint64_t at = regs->r[abi->pc] & 4095;
	const size_t i = (size_t)at / 4;

	if (i >= sizeof vectors / sizeof *vectors || at % 4 != 0 ||
	    vectors[i].mode == 0 || vectors[i].mode != (regs->cpsr & 31))
		return false;
	*pc = regs->r[abi->ra] - vectors[i].after;
	return true;
}

/*
 * At the beginning of an entry, whose first instruction takes from lr what that
 * is after what was interrupted, and whose second may be srs.
 */
static bool
at_entry(const struct walk *w, const struct unwind_regs *regs, uint64_t *pc)
{
	const struct unwind_abi *abi = w->u->abi;
	const uint64_t own = regs->r[abi->pc];
	const struct function f = walk_function(unwinder_find(w->u, own), own);
	const uint32_t mode = regs->cpsr & 31;
	uint64_t first, next;

	if ((mode != 17 && mode != 18 && mode != 23 && mode != 27) ||
	    f.code == NULL || f.n < 8 || f.at > 8)
		return false;
	first = uint_load(f.code, 4, false);
	next = uint_load(f.code + 4, 4, false);
	if ((first & 0xffffff00) != 0xe24ee000 ||
	    (f.at == 8 && (next & 0xffffffe0) != 0xf96d0500))
		return false;
	*pc = regs->r[abi->ra] - (f.at == 0 ? first & 0xff : 0);
	return true;
}

bool
walk_arm_vector(
    const struct walk *w, const struct unwind_regs *regs, uint64_t *pc)
{
	const bool is = at_vector(regs, pc) || at_entry(w, regs, pc);

	*pc = (uint32_t)*pc;
	return is;
}

/* Linux has modules, which no file need have, so far below its own code. */
enum { MODULES = 32 << 20 };

/* Whether an address that no file has is a program's. */
static bool
is_program(const struct unwinder *u, uint64_t pc)
{
	for (size_t i = 0; i < u->n_mod; i++)
		if (!u->mod[i]->program && u->mod[i]->use &&
		    pc + MODULES >= u->mod[i]->low + u->mod[i]->bias)
			return false;
	return true;
}

enum stage_result
walk_arm_exception(struct walk *w)
{
	const struct unwind_abi *abi = w->u->abi;
	uint64_t pc = 0;

	if (w->st->n != 1 || !walk_arm_vector(w, &w->regs, &pc))
		return STAGE_NEXT;
	caller_init(&w->made, abi->sp, 0);
	/* A fast interrupt has r8 to r12 of its own, too. */
	w->made.keep = (w->regs.cpsr & 31) == 17 ? 0xff : 0x1fff;
	w->made.interrupted = w->made.switched = true;
	caller_add(&w->made, abi->pc, CALLER_IS, (int64_t)pc);
	if (is_program(w->u, pc)) /* the status of mode 16, user */
		caller_add(&w->made, CALLER_STATUS, CALLER_IS, 16);
	else
		caller_add(&w->made, CALLER_STATUS, CALLER_LOST, 0);
	return STAGE_FOUND;
}

bool
walk_at_handler(const struct walk *w, const struct unwind_regs *regs)
{
	const struct unwind_abi *abi = w->u->abi;
	const uint64_t pc = regs->r[abi->pc];
	uint64_t end;

	return arm_exc_return(regs->r[abi->ra]) && w->m != NULL &&
	       uelf_function(w->m->e, pc - w->m->bias, &end) == pc - w->m->bias;
}

enum stage_result
walk_leave_exception(struct walk *w)
{
	/* What the processor has stored, with 18 words of the FPU or not. */
	static const uint8_t stored[] = {0, 1, 2, 3, 12, 14, 15};
	const struct unwind_abi *abi = w->u->abi;
	const uint64_t how = w->regs.r[abi->pc];
	const uint64_t frame = how & 4 ? w->regs.thread_sp : w->regs.r[abi->sp];
	uint64_t status;

	if (frame == 0)
		return walk_end(w, UNWIND_HANDLER);
	for (size_t i = 0; i < sizeof stored; i++) {
		if (walk_memory(w, frame + 4 * i, &w->regs.r[stored[i]]) != 0)
			return walk_end(w, UNWIND_MEMORY);
		w->known |= 1u << stored[i];
	}
	if (walk_memory(w, frame + 28, &status) != 0)
		return walk_end(w, UNWIND_MEMORY);
	if ((status >> 24 & 1) == 0) /* it would not be Thumb code */
		return walk_end(w, UNWIND_UNSAVED);
	/* It was aligned to 8 bytes. */
	w->regs.r[abi->sp] =
	    frame + (how & 16 ? 32 : 104) + (status >> 9 & 1) * 4;
	w->regs.r[abi->pc] = walk_unsigned(w, w->regs.r[abi->pc]);
	w->made = *w->caller;
	w->made.interrupted = w->made.switched = true;
	w->caller = &w->made;
	w->guessed = w->by_record = false;
	return STAGE_FOUND;
}
