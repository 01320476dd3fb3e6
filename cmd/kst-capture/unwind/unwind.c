/* SPDX-License-Identifier: ISC */
/*
 * Knows how one frame leads to the next, and when a stack has ended.
 */
#include "unwind/unwind.h"
#include <stdlib.h>
#include <string.h>
#include "unwind/orc.h"
#include "unwind/unwind_cfi.h"
#include "unwind/unwind_elf.h"
#include "unwind/unwind_fp.h"
#include "base/xalloc.h"

struct unwind_module {
	struct uelf *e;
	uint64_t bias, low, high;
	bool use;
	bool program; /* its code is the file's */
};

struct unwinder {
	enum unwind_arch arch;
	const struct unwind_abi *abi;
	struct unwind_module **mod;
	size_t n_mod;
	uint64_t floor;	   /* 0: none */
	unwind_code *code; /* NULL: the files' */
	void *code_arg;
	unwind_find *find; /* NULL: no further modules */
	void *find_arg;
};

/* One stack in the making. */
struct walk {
	struct unwinder *u;
	unwind_read *read;
	void *arg;
	struct unwind_stack *st;
	struct unwind_regs regs;
	uint64_t known;	  /* a bit for each register that can be relied on */
	bool exact;	  /* the frame to leave was interrupted */
	bool signal;	  /* it was an interrupt's entry, says its CFI */
	bool interrupted; /* its caller was interrupted, did not call it */
	bool switched;	  /* the caller's stack may be another one */
	uint64_t no_code; /* an address whose code is not to be had; 0: none */
};

struct unwinder *
unwinder_new(enum unwind_arch arch)
{
	struct unwinder *u = xcalloc(1, sizeof *u);

	u->arch = arch;
	u->abi = &unwind_abis[arch];
	return u;
}

void
unwinder_free(struct unwinder *u)
{
	if (u == NULL)
		return;
	for (size_t i = 0; i < u->n_mod; i++) {
		uelf_close(u->mod[i]->e);
		free(u->mod[i]);
	}
	free(u->mod);
	free(u);
}

struct unwind_module *
unwinder_add(
    struct unwinder *u, const char *path, uint64_t bias, const char **why)
{
	struct unwind_module *m = xcalloc(1, sizeof *m);

	m->e = uelf_open(path, u->abi, why);
	if (m->e == NULL) {
		free(m);
		return NULL;
	}
	uelf_span(m->e, &m->low, &m->high);
	m->bias = bias;
	m->use = true;
	u->mod =
	    xreallocn(u->mod, u->n_mod + 1, sizeof(struct unwind_module *));
	u->mod[u->n_mod++] = m;
	return m;
}

struct unwind_module *
unwinder_add_at(
    struct unwinder *u, const char *path, uint64_t base, const char **why)
{
	struct unwind_module *m = unwinder_add(u, path, 0, why);

	if (m != NULL) {
		m->bias = base - m->low;
		m->program = true;
	}
	return m;
}

struct unwind_module *
unwinder_add_program(
    struct unwinder *u, const char *path, uint64_t bias, const char **why)
{
	struct unwind_module *m = unwinder_add(u, path, bias, why);

	if (m != NULL)
		m->program = true;
	return m;
}

void
unwind_module_move(struct unwind_module *m, uint64_t bias)
{
	m->bias = bias;
}

void
unwinder_set_floor(struct unwinder *u, uint64_t floor)
{
	u->floor = floor;
}

void
unwinder_set_code(struct unwinder *u, unwind_code *code, void *arg)
{
	u->code = code;
	u->code_arg = arg;
}

void
unwinder_set_find(struct unwinder *u, unwind_find *find, void *arg)
{
	u->find = find;
	u->find_arg = arg;
}

void
unwind_module_use(struct unwind_module *m, bool use)
{
	m->use = use;
}

static struct unwind_module *
find(const struct unwinder *u, uint64_t addr)
{
	for (size_t i = 0; i < u->n_mod; i++) {
		struct unwind_module *m = u->mod[i];
		uint64_t own = addr - m->bias;

		if (m->use && own >= m->low && own < m->high &&
		    uelf_holds(m->e, own))
			return m;
	}
	return NULL;
}

/* The same for an address that is code for sure. */
static struct unwind_module *
find_code(const struct unwinder *u, uint64_t addr)
{
	struct unwind_module *m = find(u, addr);

	if (m == NULL && u->find != NULL && u->find(u->find_arg, addr))
		m = find(u, addr);
	return m;
}

bool
unwinder_knows(const struct unwinder *u, uint64_t addr)
{
	return find(u, addr) != NULL;
}

/* Code of a known module. A word on a stack is not one for sure. */
static size_t
walk_code(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	struct walk *w = arg;
	struct unwind_module *m = find(w->u, addr);
	size_t got;

	if (m == NULL)
		return 0;
	if (w->u->code == NULL || m->program)
		return uelf_bytes(m->e, addr - m->bias, to, n);
	got = w->u->code(w->u->code_arg, addr, to, n);
	if (got < n)
		w->no_code = addr;
	return got;
}

/* All reads go through here: the highest one is the stack's depth. */
static int
walk_read(void *arg, uint64_t addr, uint64_t *word)
{
	struct walk *w = arg;

	if (w->read(w->arg, addr, word) != 0)
		return -1;
	if (addr + 8 > w->st->top)
		w->st->top = addr + 8;
	return 0;
}

static int
stop(struct walk *w, enum unwind_end end)
{
	w->st->end = end;
	return -1;
}

static int
stop_expr(struct walk *w, enum uexpr_result r)
{
	return stop(w, r == UEXPR_MEMORY ? UNWIND_MEMORY : UNWIND_RULE);
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
		return stop(w, UNWIND_MEMORY);
	case RULE_VALUE:
		*to = env->cfa + (uint64_t)r->off;
		return 0;
	case RULE_REG:
		*to = env->regs->r[r->off];
		return 0;
	case RULE_EXPR:
		res = ucfi_eval(uelf_cfi(m->e), r->off, env, to);
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
	/* Before any read: an address out of the stack is no memory fault. */
	for (int i = 0; i < row->n; i++)
		if (row->rule[i].reg == abi->ra &&
		    row->rule[i].how == RULE_LOST)
			return stop(w, UNWIND_ROOT);
	if (!row->by_expr && (w->known >> row->cfa_reg & 1) == 0)
		return stop(w, UNWIND_UNSAVED);
	if (!row->signal && env.cfa < sp)
		return stop(w, UNWIND_INNER);
	up.r[abi->sp] = env.cfa;
	for (int i = 0; i < row->n; i++) {
		const struct rule *r = &row->rule[i];

		if (r->reg == abi->ra)
			ra_kept = true;
		if (apply(w, m, r, &env, &up.r[r->reg]) != 0)
			return -1;
	}
	if (!ra_kept)
		return stop(w, UNWIND_UNSAVED);
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
		return stop(w, UNWIND_ROOT);
	w->interrupted = row.signal;
	switch (
	    orc_step(&row, &w->regs, &w->known, walk_read, w, &w->st->bad)) {
	case ORC_SWITCHED:
		w->switched = true;
		return 0;
	case ORC_STEPPED:
		return 0;
	case ORC_MEMORY:
		return stop(w, UNWIND_MEMORY);
	case ORC_LOST:
		return stop(w, UNWIND_UNSAVED);
	default:
		return stop(w, UNWIND_RULE);
	}
}

/* One step without any table. */
static int
guess_step(struct walk *w, const struct unwind_module *m)
{
	struct fp_code code = {w->u->abi, w->u->arch, m ? m->e : NULL,
	    m ? m->bias : 0, w->exact, walk_code, w};
	int status;

	w->no_code = 0;
	status =
	    fp_step(&code, &w->regs, walk_read, w, &w->st->end, &w->st->bad);
	w->interrupted = status == 1;
	if (w->no_code != 0) {
		w->st->bad = w->no_code;
		return stop(w, UNWIND_MEMORY);
	}
	return status < 0 ? -1 : 0;
}

/* The registers of the frame's caller, or why there is none. */
static int
step(struct walk *w)
{
	uint64_t lookup = w->regs.r[w->u->abi->pc] - !w->exact;
	struct unwind_module *m = find_code(w->u, lookup);
	const struct urow *row = NULL;
	bool bad = false;
	int status;

	w->signal = w->interrupted = w->switched = false;
	if (m != NULL && uelf_orc(m->e) != NULL) {
		status = own_step(w, m, lookup);
		if (status <= 0)
			return status;
	}
	if (m != NULL)
		row = ucfi_row(uelf_cfi(m->e), lookup - m->bias, &bad);
	if (bad)
		return stop(w, UNWIND_RULE);
	if (row != NULL)
		return cfi_step(w, m, row);
	return guess_step(w, m);
}

/* Whether the caller's state cannot be one: checked after each step. */
static int
check(struct walk *w, const struct unwind_regs *old)
{
	const struct unwind_abi *abi = w->u->abi;
	uint64_t pc = w->regs.r[abi->pc], sp = w->regs.r[abi->sp];

	if (w->regs.mode == UNWIND_MODE_USER && old->mode != UNWIND_MODE_USER &&
	    find_code(w->u, pc) == NULL)
		return stop(w, UNWIND_USER);
	if (pc == 0)
		return stop(w, UNWIND_ZERO);
	if (pc < w->u->floor && old->r[abi->pc] >= w->u->floor)
		return stop(w, UNWIND_ROOT);
	if (w->switched)
		return 0;
	if (sp == old->r[abi->sp] && !w->exact) {
		/* Only a CPU's own function has a frame of no size. */
		return stop(
		    w, pc == old->r[abi->pc] ? UNWIND_LOOP : UNWIND_UNSAVED);
	}
	if (sp == old->r[abi->sp] && pc == old->r[abi->pc])
		return stop(w, UNWIND_LOOP);
	if (!w->interrupted && sp < old->r[abi->sp])
		return stop(w, UNWIND_INNER);
	return 0;
}

void
unwinder_run(struct unwinder *u, const struct unwind_regs *regs,
    unwind_read *read, void *arg, struct unwind_stack *st)
{
	struct walk w = {.u = u,
	    .read = read,
	    .arg = arg,
	    .st = st,
	    .regs = *regs,
	    .known = UINT64_MAX,
	    .exact = true};

	st->n = 0;
	st->bad = 0;
	st->top = regs->r[u->abi->sp];
	for (;;) {
		struct unwind_regs old = w.regs;

		st->frame[st->n++] =
		    (struct unwind_frame){w.regs.r[u->abi->pc], w.exact, false};
		if (st->n == UNWIND_DEPTH) {
			st->end = UNWIND_LIMIT;
			return;
		}
		if (step(&w) != 0)
			return;
		st->frame[st->n - 1].signal = w.signal;
		if (check(&w, &old) != 0)
			return;
		w.exact = w.interrupted;
	}
}
