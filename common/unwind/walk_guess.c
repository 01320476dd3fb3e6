/* SPDX-License-Identifier: ISC */
/* Knows what is believed where no table leads on. */
#include "unwind/insn.h"
#include "unwind/unwind_cfi.h"
#include "unwind/unwind_elf.h"
#include "unwind/unwind_fp.h"
#include "unwind/walk.h"
#include "unwind/x86_frame.h"

/*
 * Whether a frame pointer says anything: 0, or a return address of 0, that it
 * is an end; one below the stack, that it is corrupt. Code without frames has
 * anything there; and where the kernel is known, an address in no file may be
 * a word of the stack that is not an address.
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
proves(
    struct walk *w, const struct unwind_module *m, const struct fp_code *code)
{
	uint64_t pc = w->regs.r[w->u->abi->pc];
	bool good;

	w->any_code = true;
	good = pc == 0 ? m == NULL || m->frames : fp_is_return(code, pc);
	w->any_code = false;
	return good;
}

/* Whether the call that returns to where the CPU is now may lead to `start`. */
static bool
leads(struct walk *w, uint64_t start)
{
	uint64_t pc = w->regs.r[w->u->abi->pc], to, begin;
	const struct unwind_module *m;
	const uint8_t *code;
	uint8_t p[5];
	size_t n;

	w->any_code = true;
	n = walk_code(w, pc - sizeof p, p, sizeof p);
	w->any_code = false;
	if (n != sizeof p || p[0] != 0xe8)
		return true;
	to = pc + (uint64_t)(int32_t)insn_word(p + 1);
	m = unwinder_find(w->u, to);
	if (to == start || m == NULL)
		return true;
	code = walk_function(m, to, &begin, &n);
	return code == NULL || x86_frame_jumps(code, n, begin, start);
}

/*
 * One step from a function of x86_64 that was compiled without frames, by its
 * code. That is the file's: what a kernel patches does nothing to the stack.
 */
static int
frameless_step(struct walk *w, const struct unwind_module *m, uint64_t lookup,
    const struct fp_code *code)
{
	struct urow row;
	uint64_t start;
	size_t n;
	const uint8_t *p = walk_function(m, lookup, &start, &n);

	if (p == NULL || !x86_frame(p, n, lookup - start, &row))
		return walk_stop(w, UNWIND_UNSAVED);
	if (walk_by_row(w, m, &row) != 0)
		return -1;
	return proves(w, m, code) && leads(w, start)
		   ? 0
		   : walk_stop(w, UNWIND_UNSAVED);
}

int
walk_guess(struct walk *w, const struct unwind_module *m, uint64_t lookup)
{
	struct fp_code code = {w->u->abi, w->u->arch, m ? m->e : NULL,
	    m ? m->bias : 0, w->exact, false, walk_code, w};
	const struct unwind_abi *abi = w->u->abi;
	uint64_t sp = w->regs.r[abi->sp];
	int status;

	if (w->u->arch == UNWIND_X86_64 && m != NULL && !m->frames)
		return frameless_step(w, m, lookup, &code);
	status = walk_by_entry(w, m, lookup);
	if (status == 1 && (w->known >> abi->fp & 1) == 0)
		return walk_stop(w, UNWIND_UNSAVED);
	if (status == 1) {
		code.switched = w->switched;
		status = fp_step(
		    &code, &w->regs, walk_memory, w, &w->st->end, &w->st->bad);
		w->interrupted = status == 1;
		/* the record is at the bottom of a frame of any size */
		if (w->u->arch == UNWIND_AARCH64 && w->regs.r[abi->sp] != sp)
			w->known &= ~(1ULL << abi->sp);
		if (status == 0 && w->u->code != NULL && !proves(w, m, &code))
			return walk_stop(w, UNWIND_UNSAVED);
	}
	if (status < 0 && !has_ends(w, m) &&
	    (w->st->end == UNWIND_ZERO || w->st->end == UNWIND_INNER))
		return walk_stop(w, UNWIND_UNSAVED);
	return status < 0 ? -1 : 0;
}
