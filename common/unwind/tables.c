/* SPDX-License-Identifier: ISC */
/* The stages by tables: the kernel's own, and call frame information. */
#include "unwind/tables.h"

#include "unwind/entries.h"
#include "unwind/read.h"
#include "unwind/walk.h"

/*
 * Whether what was interrupted is where an ORC entry says: Linux's are wrong
 * for the instruction after `call error_entry`, which pushes the registers.
 */
static bool
is_interrupt(struct walk *w)
{
	const struct caller *c = &w->made;
	const struct caller_rule *pc = caller_find(c, w->u->abi->pc);

	return !c->interrupted || c->cfa != CFA_REG || pc == NULL ||
	       pc->off < 0 ||
	       walk_flags(w, w->regs.r[c->cfa_reg] +
				 (uint64_t)(c->cfa_off + pc->off) + 8);
}

enum stage_result
stage_orc(struct walk *w)
{
	if (w->m == NULL || w->m->e->orc == NULL)
		return STAGE_NEXT;
	switch (orc_find(w->m->e->orc, w->lookup - w->m->bias, &w->made)) {
	case ORC_NONE:
		return STAGE_NEXT;
	case ORC_END:
		return walk_end(w, UNWIND_ROOT);
	case ORC_BAD:
		return walk_end(w, UNWIND_RULE);
	default:
		return walk_knows(w, w->made.cfa_reg) && is_interrupt(w)
			   ? STAGE_FOUND
			   : walk_end(w, UNWIND_UNSAVED);
	}
}

/*
 * GCC begins the call frame information of a function with room for a tracer's
 * call after that room, although the function begins with it.
 */
static const struct caller *
first_row(struct walk *w, uint64_t own)
{
	uint64_t end, start = uelf_function(w->m->e, own, &end);
	bool bad;

	if (w->u->abi->x86 || start == 0 || own - start >= 8 ||
	    end - start <= 8)
		return NULL;
	return cfi_find(w->m->e->cfi, start + 8, &bad);
}

enum stage_result
stage_cfi(struct walk *w)
{
	const struct caller_rule *ra, *sp;
	const struct caller *c;
	uint64_t own;
	bool bad;

	if (w->m == NULL)
		return STAGE_NEXT;
	own = w->lookup - w->m->bias;
	c = cfi_find(w->m->e->cfi, own, &bad);
	if (bad)
		return walk_end(w, UNWIND_RULE);
	if (c == NULL && w->exact)
		c = first_row(w, own);
	if (c == NULL)
		return STAGE_NEXT;
	ra = caller_find(c, w->u->abi->ra);
	if (ra != NULL && ra->how == CALLER_LOST)
		return walk_end(w, UNWIND_ROOT);
	if (c->cfa != CFA_EXPR && !walk_knows(w, c->cfa_reg))
		return w->u->arch == UNWIND_AARCH64
			   ? STAGE_NEXT
			   : walk_end(w, UNWIND_UNSAVED);
	/* Assembler may claim to be a function, as that of NuttX. */
	sp = caller_find(c, w->u->abi->sp);
	if (((sp != NULL && sp->how == CALLER_AT) ||
		(w->exact && ra == NULL)) &&
	    walk_file_entry(w))
		return STAGE_FOUND;
	w->caller = c;
	return STAGE_FOUND;
}
