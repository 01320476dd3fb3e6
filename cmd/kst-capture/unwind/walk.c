/* SPDX-License-Identifier: ISC */
/*
 * Knows how one frame leads to the next: which tables are asked first, and
 * what is believed where there are none.
 */
#include "unwind/walk.h"

#include "unwind/orc.h"
#include "unwind/saved.h"
#include "unwind/unwind_cfi.h"
#include "unwind/unwind_elf.h"
#include "unwind/unwind_fp.h"

/* Code of a known module; with w->any_code, of any. */
static size_t
walk_code(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	struct walk *w = arg;
	struct unwind_module *m = unwinder_find(w->u, addr);
	size_t got;

	if (m != NULL && (w->u->code == NULL || m->program))
		return uelf_bytes(m->e, addr - m->bias, to, n);
	if (w->u->code == NULL || (m == NULL && !w->any_code))
		return 0;
	got = w->u->code(w->u->code_arg, addr, to, n);
	if (got < n)
		w->no_code = addr;
	return got;
}

/* What fits into a register. */
static uint64_t
walk_word(const struct walk *w, uint64_t v)
{
	return w->u->abi->word == 4 ? (uint32_t)v : v;
}

/* All reads go through here: the highest one is the stack's depth. */
static int
walk_read(void *arg, uint64_t addr, uint64_t *word)
{
	struct walk *w = arg;
	const unsigned bytes = w->u->abi->word;

	addr = walk_word(w, addr);
	if (w->read(w->arg, addr, word) != 0)
		return -1;
	if (addr + bytes > w->st->top)
		w->st->top = addr + bytes;
	return 0;
}

int
walk_stop(struct walk *w, enum unwind_end end)
{
	w->st->end = end;
	return -1;
}

static int
stop_expr(struct walk *w, enum uexpr_result r)
{
	return walk_stop(w, r == UEXPR_MEMORY ? UNWIND_MEMORY : UNWIND_RULE);
}

static int
apply(struct walk *w, const struct unwind_module *m, const struct rule *r,
    const struct uexpr_env *env, uint64_t *to)
{
	enum uexpr_result res;

	switch (r->how) {
	case RULE_AT:
		if (walk_read(w, env->cfa + (uint64_t)r->off, to) == 0)
			return 0;
		w->st->bad = env->cfa + (uint64_t)r->off;
		return walk_stop(w, UNWIND_MEMORY);
	case RULE_VALUE:
		*to = walk_word(w, env->cfa + (uint64_t)r->off);
		return 0;
	case RULE_REG:
		*to = env->regs->r[r->off];
		return 0;
	case RULE_EXPR:
		res = ucfi_eval(uelf_cfi(m->e), r->off, env, to);
		*to = walk_word(w, *to);
		return res == UEXPR_OK ? 0 : stop_expr(w, res);
	default:
		return 0; /* lost: nobody will ask for it */
	}
}

/* One step by a row of call frame information. */
static int
cfi_step(struct walk *w, const struct unwind_module *m, const struct urow *row)
{
	const struct unwind_abi *abi = w->u->abi;
	struct unwind_regs up = w->regs;
	struct uexpr_env env = {
	    &w->regs, 0, m->bias, walk_read, w, &w->st->bad};
	uint64_t sp = w->regs.r[abi->sp];
	enum uexpr_result res = UEXPR_OK;
	bool ra_kept = abi->pc != abi->ra;

	if (row->by_expr)
		res = ucfi_eval(uelf_cfi(m->e), row->cfa_off, &env, &env.cfa);
	else
		env.cfa = w->regs.r[row->cfa_reg] + (uint64_t)row->cfa_off;
	if (res != UEXPR_OK)
		return stop_expr(w, res);
	env.cfa = walk_word(w, env.cfa);
	/* Before any read: an address outside of the stack is not a memory
	 * fault. */
	for (int i = 0; i < row->n; i++)
		if (row->rule[i].reg == abi->ra &&
		    row->rule[i].how == RULE_LOST)
			return walk_stop(w, UNWIND_ROOT);
	if (!row->by_expr && (w->known >> row->cfa_reg & 1) == 0)
		return walk_stop(w, UNWIND_UNSAVED);
	if (!row->signal && env.cfa < sp)
		return walk_stop(w, UNWIND_INNER);
	up.r[abi->sp] = env.cfa;
	for (int i = 0; i < row->n; i++) {
		const struct rule *r = &row->rule[i];

		if (r->reg == abi->ra)
			ra_kept = true;
		if (apply(w, m, r, &env, &up.r[r->reg]) != 0)
			return -1;
	}
	if (!ra_kept)
		return walk_stop(w, UNWIND_UNSAVED);
	up.r[abi->pc] = up.r[abi->ra];
	w->regs = up;
	w->signal = w->interrupted = row->signal;
	return 0;
}

/*
 * One step by the kernel's own tables. Returns 1 when they have nothing for
 * the address.
 */
static int
own_step(struct walk *w, const struct unwind_module *m, uint64_t lookup)
{
	struct orc_row row = orc_row(uelf_orc(m->e), lookup - m->bias);

	if (row.type == ORC_UNDEFINED)
		return 1;
	if (row.type == ORC_END)
		return walk_stop(w, UNWIND_ROOT);
	w->interrupted = row.signal;
	switch (
	    orc_step(&row, &w->regs, &w->known, walk_read, w, &w->st->bad)) {
	case ORC_SWITCHED:
		w->switched = true;
		return 0;
	case ORC_STEPPED:
		return 0;
	case ORC_MEMORY:
		return walk_stop(w, UNWIND_MEMORY);
	case ORC_LOST:
		return walk_stop(w, UNWIND_UNSAVED);
	default:
		return walk_stop(w, UNWIND_RULE);
	}
}

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
	if (saved_restore(w->u->arch, &s, true, &w->regs, &w->known, walk_read,
		w, &w->st->bad) != 0)
		return walk_stop(w, UNWIND_MEMORY);
	/* A process's stack pointer may be in its register already. */
	if (w->regs.mode == UNWIND_MODE_USER && s.at[abi->sp] < 0)
		w->known &= ~(1ULL << abi->sp);
	return 0;
}

/*
 * One step by what the function's code has saved of an interrupted one's
 * registers. Returns 1 when it is not an interrupt's entry; w->switched then
 * says whether the code has left its caller's stack.
 */
static int
saved_step(struct walk *w, const struct unwind_module *m, uint64_t lookup)
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
	if (saved_restore(w->u->arch, &s, now, &w->regs, &w->known, walk_read,
		w, &w->st->bad) != 0)
		return walk_stop(w, UNWIND_MEMORY);
	return 0;
}

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

/* One step without any table. */
static int
guess_step(struct walk *w, const struct unwind_module *m, uint64_t lookup)
{
	struct fp_code code = {w->u->abi, w->u->arch, m ? m->e : NULL,
	    m ? m->bias : 0, w->exact, false, walk_code, w};
	int status = saved_step(w, m, lookup);

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

/* One step by what was said of the function. */
static int
rule_step(struct walk *w, const struct walk_rule *r)
{
	if (r->saved == NULL)
		return walk_stop(w, UNWIND_ROOT);
	/* Within the entry itself not all is saved. */
	if (w->exact)
		return walk_stop(w, UNWIND_UNSAVED);
	w->interrupted = w->switched = true;
	if (saved_restore(w->u->arch, r->saved, false, &w->regs, &w->known,
		walk_read, w, &w->st->bad) != 0)
		return walk_stop(w, UNWIND_MEMORY);
	return 0;
}

/*
 * GCC begins the call frame information of a function with room for a tracer's
 * call after that room, although the function begins with it.
 */
static const struct urow *
first_row(struct walk *w, const struct unwind_module *m, uint64_t own)
{
	uint64_t end, start = uelf_function(m->e, own, &end);
	bool bad;

	if (w->u->abi->x86 || start == 0 || own - start >= 8 ||
	    end - start <= 8)
		return NULL;
	return ucfi_row(uelf_cfi(m->e), start + 8, &bad);
}

/* The registers of the frame's caller, or why there is none. */
int
walk_step(struct walk *w)
{
	uint64_t lookup = w->regs.r[w->u->abi->pc] - !w->exact;
	struct unwind_module *m = unwinder_find_code(w->u, lookup);
	const struct walk_rule *rule;
	const struct urow *row = NULL;
	bool bad = false;
	int status;

	w->signal = w->interrupted = w->switched = false;
	w->no_code = 0;
	rule = m != NULL ? walk_rule(m, lookup - m->bias) : NULL;
	if (rule != NULL)
		return rule_step(w, rule);
	if (m != NULL && uelf_orc(m->e) != NULL) {
		status = own_step(w, m, lookup);
		if (status <= 0)
			return status;
	}
	if (m != NULL)
		row = ucfi_row(uelf_cfi(m->e), lookup - m->bias, &bad);
	if (bad)
		return walk_stop(w, UNWIND_RULE);
	if (m != NULL && row == NULL && w->exact)
		row = first_row(w, m, lookup - m->bias);
	if (row != NULL)
		return cfi_step(w, m, row);
	status = guess_step(w, m, lookup);
	if (w->no_code != 0) {
		w->st->bad = w->no_code;
		w->st->code = true;
		return walk_stop(w, UNWIND_MEMORY);
	}
	return status;
}
