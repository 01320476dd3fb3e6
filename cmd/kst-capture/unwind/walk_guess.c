/* SPDX-License-Identifier: ISC */
/* Knows what is believed where no table leads on. */
#include "unwind/unwind_cfi.h"
#include "unwind/unwind_elf.h"
#include "unwind/unwind_fp.h"
#include "unwind/walk.h"

/*
 * Whether a frame pointer of 0, or a return address, is an end. Code without
 * frames has anything there; and where the kernel is known, code of nobody may
 * be a word of the stack that was taken for an address.
 */
static bool
has_ends(const struct walk *w, const struct unwind_module *m)
{
	for (size_t i = 0; m == NULL && i < w->u->n_mod; i++)
		if (!w->u->mod[i]->program)
			return false;
	return m == NULL || !w->u->abi->x86 ||
	       (m->frames && !ucfi_any(uelf_cfi(m->e)));
}

/* Whether the address that was found follows a call, or is an end. */
static bool
proves(struct walk *w, const struct unwind_module *m, struct fp_code *code)
{
	uint64_t pc = w->regs.r[w->u->abi->pc];
	bool good;

	w->any_code = true;
	good = pc == 0 ? m == NULL || m->frames : fp_is_return(code, pc);
	w->any_code = false;
	return good;
}

int
walk_guess(struct walk *w, const struct unwind_module *m, uint64_t lookup)
{
	struct fp_code code = {w->u->abi, w->u->arch, m ? m->e : NULL,
	    m ? m->bias : 0, w->exact, false, walk_code, w};
	int status = walk_by_entry(w, m, lookup);

	if (status == 1 && (w->known >> w->u->abi->fp & 1) == 0)
		return walk_stop(w, UNWIND_UNSAVED);
	if (status == 1) {
		code.switched = w->switched;
		status = fp_step(
		    &code, &w->regs, walk_read, w, &w->st->end, &w->st->bad);
		w->interrupted = status == 1;
		if (status == 0 && w->u->code != NULL && !proves(w, m, &code))
			return walk_stop(w, UNWIND_UNSAVED);
	}
	if (status < 0 && w->st->end == UNWIND_ZERO && !has_ends(w, m))
		return walk_stop(w, UNWIND_UNSAVED);
	return status < 0 ? -1 : 0;
}
