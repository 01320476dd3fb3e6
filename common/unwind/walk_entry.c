/* SPDX-License-Identifier: ISC */
/*
 * Knows how an interrupt's entry leads to what it has interrupted: by what
 * somebody has said of it, or by its code.
 */
#include "unwind/saved.h"
#include "unwind/orc.h"
#include "unwind/unwind_cfi.h"
#include "unwind/unwind_elf.h"
#include "unwind/unwind_fp.h"
#include "unwind/walk.h"
#include "unwind/x86_frame.h"

/* The code from a function's start, that of an address; 0: not known. */
static uint64_t
function_code(const struct unwinder *u, const struct unwind_module *m,
    uint64_t lookup, size_t *n)
{
	uint64_t end, start = uelf_function(m->e, lookup - m->bias, &end);

	if (start == 0)
		return 0;
	*n = end - start < SAVED_CODE ? end - start : SAVED_CODE;
	start += m->bias;
	if (u->arch == UNWIND_AARCH64 && (start & 0x7ff) == 0)
		start = lookup & ~127ULL; /* one of 16 vectors */
	return start;
}

bool
unwinder_needs(struct unwinder *u, uint64_t pc, uint64_t *at, size_t *n)
{
	const struct unwind_module *m = unwinder_find(u, pc);
	bool bad;

	if (m == NULL || m->program || u->code == NULL)
		return false;
	if (uelf_orc(m->e) != NULL &&
	    orc_row(uelf_orc(m->e), pc - m->bias).type != ORC_UNDEFINED)
		return false;
	if (ucfi_row(uelf_cfi(m->e), pc - m->bias, &bad) != NULL)
		return false;
	*at = function_code(u, m, pc, n);
	return *at != 0;
}

/*
 * One step from the code that returns from an exception: what it has not
 * restored yet is on the stack, or, for the last instructions, where the
 * processor has what it will return to.
 */
static int
leaving_step(struct walk *w, uint64_t left)
{
	const struct unwind_abi *abi = w->u->abi;
	uint64_t pc = w->regs.r[abi->pc];
	uint8_t code[SAVED_CODE];
	struct saved s;
	size_t n = left < sizeof code ? left : sizeof code;

	n = walk_code(w, pc, code, n);
	if (!saved_leaving(w->u->arch, code, n, &s) || !w->regs.has_exception)
		return walk_stop(w, UNWIND_UNSAVED);
	if (s.pc_in >= 0)
		w->regs.exception_pc = w->regs.r[s.pc_in];
	if (s.status_in >= 0)
		w->regs.exception_status = w->regs.r[s.status_in];
	w->interrupted = w->switched = true;
	if (saved_restore(w->u->arch, &s, true, &w->regs, &w->known,
		walk_memory, w, &w->st->bad) != 0)
		return walk_stop(w, UNWIND_MEMORY);
	/* A process's stack pointer may be in its register already. */
	if (w->regs.mode == UNWIND_MODE_USER && s.at[abi->sp] < 0)
		w->known &= ~(1ULL << abi->sp);
	return 0;
}

int
walk_by_entry(struct walk *w, const struct unwind_module *m, uint64_t lookup)
{
	const struct unwind_abi *abi = w->u->abi;
	uint8_t code[SAVED_CODE];
	struct saved s;
	uint64_t start;
	size_t n;
	bool now;

	if (m == NULL ||
	    (w->u->arch != UNWIND_AARCH64 && w->u->arch != UNWIND_RISCV64))
		return 1;
	start = function_code(w->u, m, lookup, &n);
	if (start == 0)
		return 1;
	n = walk_code(w, start, code, n);
	saved_scan(w->u->arch, code, w->regs.r[abi->pc] - start, n, &s);
	w->switched = s.switched;
	now = w->regs.has_exception && s.exception && !s.leaves;
	if (!s.entry && !now && w->exact && s.leaves)
		return leaving_step(w, start + n - w->regs.r[abi->pc]);
	if (!s.entry && !now)
		return w->exact && s.exception ? walk_stop(w, UNWIND_UNSAVED)
					       : 1;
	w->interrupted = w->switched = true;
	if (saved_restore(w->u->arch, &s, now, &w->regs, &w->known, walk_memory,
		w, &w->st->bad) != 0)
		return walk_stop(w, UNWIND_MEMORY);
	return 0;
}

/*
 * One step from a CPU in an entry of x86_64 itself: what the processor has
 * pushed is where it was at the entry's beginning, with an error code or
 * without, or already where the entry has it in the end.
 */
static int
pushed_step(
    struct walk *w, const struct unwind_module *m, const struct walk_rule *r)
{
	const struct unwind_abi *abi = w->u->abi;
	const struct fp_code code = {
	    w->u->abi, w->u->arch, m->e, m->bias, true, false, walk_code, w};
	uint64_t pc = w->regs.r[abi->pc], sp = w->regs.r[abi->sp];
	uint64_t start, status;
	struct urow row;
	size_t n;
	const uint8_t *p = walk_function(m, pc, &start, &n);
	uint64_t moved = p != NULL && x86_frame(p, n, pc - start, &row) &&
				 row.cfa_reg == abi->sp
			     ? (uint64_t)row.cfa_off - 8
			     : 0;
	const uint64_t places[] = {
	    moved, moved + 8, 8, (uint64_t)r->saved->at[abi->pc]};

	for (size_t i = 0; i < sizeof places / sizeof places[0]; i++)
		if (fp_interrupted(&code, sp + places[i], &w->regs, &status,
			walk_memory, w)) {
			w->regs.mode = saved_mode(w->u->arch, status);
			w->known = 1ULL << abi->pc | 1ULL << abi->sp;
			w->interrupted = w->switched = true;
			return 0;
		}
	return walk_stop(w, UNWIND_UNSAVED);
}

int
walk_by_rule(
    struct walk *w, const struct unwind_module *m, const struct walk_rule *r)
{
	if (r->saved == NULL)
		return walk_stop(w, UNWIND_ROOT);
	/* Within the entry itself not all is saved. */
	if (w->exact)
		return w->u->arch == UNWIND_X86_64
			   ? pushed_step(w, m, r)
			   : walk_stop(w, UNWIND_UNSAVED);
	w->interrupted = w->switched = true;
	if (saved_restore(w->u->arch, r->saved, false, &w->regs, &w->known,
		walk_memory, w, &w->st->bad) != 0)
		return walk_stop(w, UNWIND_MEMORY);
	return 0;
}
