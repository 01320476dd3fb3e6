/* SPDX-License-Identifier: ISC */
/*
 * Knows the modules, and when a stack has ended.
 */
#include "unwind/unwind.h"

#include <stdlib.h>

#include "base/bound.h"
#include "base/xalloc.h"
#include "unwind/saved.h"
#include "unwind/unwind_elf.h"
#include "unwind/unwind_fp.h"
#include "unwind/walk.h"

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
		for (size_t k = 0; k < u->mod[i]->n_rule; k++)
			free(u->mod[i]->rule[k].saved);
		free(u->mod[i]->rule);
		free(u->mod[i]);
	}
	free(u->mod);
	free(u);
}

const struct unwind_abi *
unwinder_abi(const struct unwinder *u)
{
	return u->abi;
}

static struct unwind_module *
add(struct unwinder *u, struct uelf *e, uint64_t bias)
{
	struct unwind_module *m;

	if (e == NULL)
		return NULL;
	m = xcalloc(1, sizeof *m);
	m->e = e;
	uelf_span(m->e, &m->low, &m->high);
	m->bias = bias;
	m->use = true;
	m->frames = !u->abi->x86 || fp_has_frames(e, u->abi);
	u->mod =
	    xreallocn(u->mod, u->n_mod + 1, sizeof(struct unwind_module *));
	u->mod[u->n_mod++] = m;
	return m;
}

struct unwind_module *
unwinder_add(
    struct unwinder *u, const char *path, uint64_t bias, const char **why)
{
	return add(u, uelf_open(path, u->abi, why), bias);
}

struct unwind_module *
unwinder_add_frames(struct unwinder *u, uint64_t text, uint64_t size,
    uint64_t eh_addr, const uint8_t *eh, size_t n)
{
	struct unwind_module *m =
	    add(u, uelf_frames(u->abi, text, size, eh_addr, eh, n), 0);

	if (m != NULL)
		m->program = true;
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
unwind_module_rule(struct unwind_module *m, uint64_t start, uint64_t end,
    const struct saved *saved)
{
	struct walk_rule *r;

	m->rule = xreallocn(m->rule, m->n_rule + 1, sizeof *m->rule);
	r = &m->rule[m->n_rule++];
	*r = (struct walk_rule){start, end, NULL};
	if (saved != NULL) {
		r->saved = xmalloc(sizeof *saved);
		*r->saved = *saved;
	}
}

const struct walk_rule *
walk_rule(const struct unwind_module *m, uint64_t addr)
{
	size_t i = bound_above(m->rule, m->n_rule, sizeof *m->rule,
	    offsetof(struct walk_rule, start), addr);

	return i > 0 && addr < m->rule[i - 1].end ? &m->rule[i - 1] : NULL;
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

struct unwind_module *
unwinder_find(const struct unwinder *u, uint64_t addr)
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

struct unwind_module *
unwinder_find_code(const struct unwinder *u, uint64_t addr)
{
	struct unwind_module *m = unwinder_find(u, addr);

	if (m == NULL && u->find != NULL && u->find(u->find_arg, addr))
		m = unwinder_find(u, addr);
	return m;
}

bool
unwinder_knows(const struct unwinder *u, uint64_t addr)
{
	return unwinder_find(u, addr) != NULL;
}

/*
 * A return address that is signed has that in its highest bits: of 48-bit
 * addresses these are all as bit 55.
 */
static uint64_t
unsigned_pc(uint64_t pc)
{
	return pc >> 55 & 1 ? pc | 0xffffULL << 48 : pc & ~(0xffffULL << 48);
}

/* Whether the caller's state cannot be one: checked after each step. */
static int
check(struct walk *w, const struct unwind_regs *old)
{
	const struct unwind_abi *abi = w->u->abi;
	uint64_t pc = w->regs.r[abi->pc], sp = w->regs.r[abi->sp];

	/* A guest's kernel of Xen is in user mode, too. */
	if (w->regs.mode == UNWIND_MODE_USER &&
	    (old->mode != UNWIND_MODE_USER || w->interrupted) &&
	    unwinder_find_code(w->u, pc) == NULL)
		return walk_stop(w, UNWIND_USER);
	if (pc == 0)
		return walk_stop(w, UNWIND_ZERO);
	if (w->u->arch == UNWIND_AARCH64)
		pc = w->regs.r[abi->pc] = unsigned_pc(pc);
	if (pc < w->u->floor && old->r[abi->pc] >= w->u->floor)
		return walk_stop(w, UNWIND_ROOT);
	if (w->switched)
		return 0;
	if (sp == old->r[abi->sp] && !w->exact) {
		/* Only a CPU's own function has a frame of no size. */
		return walk_stop(
		    w, pc == old->r[abi->pc] ? UNWIND_LOOP : UNWIND_UNSAVED);
	}
	if (sp == old->r[abi->sp] && pc == old->r[abi->pc])
		return walk_stop(w, UNWIND_LOOP);
	if (!w->interrupted && sp < old->r[abi->sp])
		return walk_stop(w, UNWIND_INNER);
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
	st->code = false;
	st->top = regs->r[u->abi->sp];
	if (regs->mode == UNWIND_MODE_USER &&
	    unwinder_find_code(u, regs->r[u->abi->pc]) == NULL)
		w.user = true;
	for (;;) {
		struct unwind_regs old = w.regs;

		st->frame[st->n++] =
		    (struct unwind_frame){w.regs.r[u->abi->pc], w.exact, false};
		if (w.user || st->n == UNWIND_DEPTH) {
			st->end = w.user ? UNWIND_USER : UNWIND_LIMIT;
			return;
		}
		if (walk_step(&w) != 0)
			return;
		st->frame[st->n - 1].signal = w.signal;
		if (check(&w, &old) != 0)
			return;
		w.exact = w.interrupted;
		w.regs.has_exception = false;
	}
}
