/* SPDX-License-Identifier: ISC */
/* Knows how one frame leads to the next: which tables are asked first. */
#include "unwind/walk.h"

#include "unwind/orc.h"
#include "unwind/unwind_cfi.h"
#include "unwind/unwind_elf.h"

size_t
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

const uint8_t *
walk_function(
    const struct unwind_module *m, uint64_t addr, uint64_t *start, size_t *n)
{
	uint64_t end, at = uelf_function(m->e, addr - m->bias, &end);
	const uint8_t *code = uelf_code(m->e, at, n);

	*n = *n < end - at ? *n : (size_t)(end - at);
	*start = at + m->bias;
	return at != 0 ? code : NULL;
}

/* What fits into a register. */
static uint64_t
walk_word(const struct walk *w, uint64_t v)
{
	return w->u->abi->word == 4 ? (uint32_t)v : v;
}

/* All reads go through here: the highest one is the stack's depth. */
int
walk_memory(void *arg, uint64_t addr, uint64_t *word)
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
		if (walk_memory(w, env->cfa + (uint64_t)r->off, to) == 0)
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

int
walk_by_row(
    struct walk *w, const struct unwind_module *m, const struct urow *row)
{
	const struct unwind_abi *abi = w->u->abi;
	struct unwind_regs up = w->regs;
	struct uexpr_env env = {
	    &w->regs, 0, m->bias, walk_memory, w, &w->st->bad};
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
		return w->u->arch == UNWIND_AARCH64
			   ? walk_guess(w, m, w->regs.r[abi->pc] - !w->exact)
			   : walk_stop(w, UNWIND_UNSAVED);
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
	w->known |= 1ULL << abi->sp;
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
	    orc_step(&row, &w->regs, &w->known, walk_memory, w, &w->st->bad)) {
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
		return walk_by_rule(w, m, rule);
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
		return walk_by_row(w, m, row);
	status = walk_guess(w, m, lookup);
	if (w->no_code != 0) {
		w->st->bad = w->no_code;
		w->st->code = true;
		return walk_stop(w, UNWIND_MEMORY);
	}
	return status;
}
