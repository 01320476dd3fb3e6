/* SPDX-License-Identifier: ISC */
/* Modules, their rules, and the ends of stacks. */
#include "unwind/unwind.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "insn/arm.h"
#include "insn/x86_frame.h"
#include "unwind/walk_arm.h"
#include "unwind/entries.h"
#include "unwind/guess.h"
#include "unwind/read.h"
#include "unwind/tables.h"
#include "unwind/walk.h"

/* Functions whose code is compared with ORC tables, and where in it. */
enum { TRIES = 64, TRY_AT = 12 };

struct unwinder *
unwinder_new(enum unwind_arch arch)
{
	struct unwinder *u = xcalloc(1, sizeof *u);

	u->arch = arch;
	u->abi = &unwind_abis[arch];
	u->pair = xcalloc(WALK_PAIRS, sizeof *u->pair);
	return u;
}

void
unwinder_free(struct unwinder *u)
{
	if (u == NULL)
		return;
	for (size_t i = 0; i < u->n_mod; i++) {
		if (!u->mod[i]->again) {
			uelf_close(u->mod[i]->e);
			free(u->mod[i]->rule);
		}
		free(u->mod[i]);
	}
	free(u->mod);
	free(u->pair);
	free(u);
}

/*
 * Whether ORC tables tell of functions what their code does to the stack
 * pointer. Some code is more than x86_frame() knows.
 */
static bool
orc_fits(const struct uelf *e)
{
	unsigned n = 0, equal = 0;
	struct caller code, table;
	uint64_t start, end;
	const uint8_t *p;
	size_t len;

	for (size_t i = 0; i < TRIES; i++) {
		start = uelf_sample(e, i, TRIES);
		p = uelf_code(e, start, &len);
		if (p == NULL || uelf_function(e, start, &end) == 0)
			continue;
		len = len < end - start ? len : end - start;
		if (len <= TRY_AT || !x86_frame(p, len, TRY_AT, &code) ||
		    orc_find(e->orc, start + TRY_AT, &table) != ORC_CALLER)
			continue;
		n++;
		equal += code.cfa_reg == table.cfa_reg &&
			 code.cfa_off == table.cfa_off;
	}
	return equal * 2 >= n;
}

static struct unwind_module *
push(struct unwinder *u, struct unwind_module *m)
{
	u->mod =
	    xreallocn(u->mod, u->n_mod + 1, sizeof(struct unwind_module *));
	u->mod[u->n_mod++] = m;
	return m;
}

static struct unwind_module *
add(struct unwinder *u, struct uelf *e, uint64_t bias, bool program,
    const char **why)
{
	struct unwind_module *m;

	if (e == NULL)
		return NULL;
	if (e->orc != NULL && !orc_fits(e)) {
		orc_free(e->orc);
		e->orc = NULL;
		e->lacks_orc = true;
	}
	if (e->lacks_orc)
		*why = "the version of its ORC tables is unknown";
	m = xcalloc(1, sizeof *m);
	m->e = e;
	m->bias = bias;
	m->low = e->low;
	m->high = e->high;
	m->use = true;
	m->program = program;
	tables_frames(u, m);
	m->bare = u->arch == UNWIND_X86_64 && e->stripped;
	return push(u, m);
}

void
unwinder_add_again(struct unwinder *u, const struct unwind_module *m,
    uint64_t start, uint64_t end, uint64_t at)
{
	struct unwind_module *new = xcalloc(1, sizeof *new);

	*new = *m;
	new->again = new->use = true;
	new->low = start - m->bias;
	new->high = end - m->bias;
	new->bias = at - new->low;
	push(u, new);
}

struct unwind_module *
unwinder_add(struct unwinder *u, const char *path, uint64_t bias, bool program,
    const char **why)
{
	return add(u, uelf_open(path, u->abi, why), bias, program, why);
}

struct unwind_module *
unwinder_add_frames(struct unwinder *u, const struct unwind_frames *f)
{
	const char *why;

	return add(u, uelf_memory(f, u->abi), 0, true, &why);
}

void
unwind_module_move(struct unwind_module *m, uint64_t bias)
{
	m->bias = bias;
}

void
unwind_module_rule(struct unwind_module *m, uint64_t start, uint64_t end,
    const struct caller *entry)
{
	struct unwind_rule *r;

	m->rule = xreallocn(m->rule, m->n_rule + 1, sizeof *m->rule);
	r = &m->rule[m->n_rule++];
	*r = (struct unwind_rule){
	    .start = start, .end = end, .root = entry == NULL};
	if (entry == NULL)
		return;
	r->entry = *entry;
	r->entry.keep = 0;
	r->entry.interrupted = r->entry.switched = true;
	if (caller_find(entry, CALLER_STATUS) == NULL)
		caller_add(&r->entry, CALLER_STATUS, CALLER_LOST, 0);
}

void
unwinder_set(struct unwinder *u, const struct unwind_settings *s)
{
	u->set = *s;
}

void
unwind_module_use(struct unwind_module *m, bool use)
{
	m->use = use;
}

static bool
stop(struct walk *w, enum unwind_end end)
{
	w->st->end = end;
	return true;
}

/* Whether the stack ends with this step, as the caller cannot be one. */
static bool
ends(struct walk *w, const struct unwind_regs *old)
{
	const struct unwind_abi *abi = w->u->abi;
	uint64_t pc = w->regs.r[abi->pc], sp = w->regs.r[abi->sp];

	/* A guest's kernel of Xen is in user mode, too. */
	if (w->regs.mode == UNWIND_MODE_USER &&
	    (old->mode != UNWIND_MODE_USER || w->caller->interrupted) &&
	    walk_find(w, pc) == NULL)
		return stop(w, UNWIND_USER);
	if (walk_no_caller(w, pc))
		return stop(w, UNWIND_ZERO);
	if (pc < w->u->set.floor && old->r[abi->pc] >= w->u->set.floor)
		return stop(w, UNWIND_ROOT);
	if (w->caller->switched)
		return false;
	if (sp == old->r[abi->sp] && !w->exact) {
		/* Only a CPU's own function has a frame of no size. */
		return stop(
		    w, pc == old->r[abi->pc] ? UNWIND_LOOP : UNWIND_UNSAVED);
	}
	if (sp == old->r[abi->sp] && pc == old->r[abi->pc])
		return stop(w, UNWIND_LOOP);
	if (!w->caller->interrupted && sp < old->r[abi->sp])
		return stop(w, UNWIND_INNER);
	return false;
}

/*
 * Whether the CPU, whose registers were these, had executed nothing of what
 * handles an interrupt of the kernel. On x86 what the processor has pushed is
 * at the stack pointer, or above an error code.
 */
static bool
is_skid(struct walk *w, const struct unwind_regs *old)
{
	const struct unwind_abi *abi = w->u->abi;
	const uint64_t sp = old->r[abi->sp], pc = w->regs.r[abi->pc];
	uint64_t word = 0;

	if (w->u->set.show_skid || !w->caller->interrupted)
		return false;
	if (abi->arm)
		return walk_at_handler(w, old) ||
		       walk_arm_vector(w, old, &word);
	if (!abi->x86)
		return walk_at_vector(w, old);
	for (unsigned i = 0; i < 2; i++)
		if (walk_memory(w, sp + i * abi->word, &word) == 0 &&
		    word == pc)
			return true;
	return false;
}

/* Adds frame by frame; user: there is only one. */
static void
add_frames(struct walk *w, struct unwind_stack *st, bool user)
{
	while (st->n < UNWIND_DEPTH) {
		struct unwind_frame *f = &st->frame[st->n++];
		struct unwind_regs old = w->regs;

		*f = (struct unwind_frame){
		    w->regs.r[w->u->abi->pc], w->exact, false};
		if (user || st->n == UNWIND_DEPTH || walk_step(w) != 0)
			return;
		f->signal = w->caller->signal;
		if (ends(w, &old))
			return;
		if (st->n == 1 && is_skid(w, &old))
			st->n = 0;
		w->exact = w->caller->interrupted || walk_begins(w);
		w->regs.has_exception = w->regs.has_machine = false;
	}
}

/* Where the exception of the CPU's mode was taken; 0: not told. */
static uint64_t
last_exception_of(const struct unwind_regs *regs)
{
	if (regs->mode == UNWIND_MODE_FIRMWARE)
		return regs->has_machine ? regs->machine_pc : 0;
	return regs->has_exception ? regs->exception_pc : 0;
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
	    .last = last_exception_of(regs),
	    .exact = true};
	uint64_t sp = regs->r[u->abi->sp], fp = regs->r[u->abi->fp];
	bool user = false;

	st->n = 0;
	st->bad = 0;
	st->code = false;
	st->top = sp;
	st->end = UNWIND_LIMIT;
	/* a thread of Cortex-M that an exception has switched out */
	if (u->abi->arm && arm_exc_return(regs->r[u->abi->pc])) {
		w.caller = &w.made;
		if (walk_leave_exception(&w) != STAGE_FOUND)
			return;
		sp = w.regs.r[u->abi->sp];
	}
	if (regs->mode == UNWIND_MODE_USER &&
	    walk_find(&w, regs->r[u->abi->pc]) == NULL)
		user = stop(&w, UNWIND_PROGRAM);
	add_frames(&w, st, user);
	/* A register that points elsewhere cannot lead to its callers. */
	if (st->end <= UNWIND_UNPROVEN && !user &&
	    (st->n > 1 ? fp >= sp && fp <= st->top : st->end != UNWIND_ROOT) &&
	    walk_frames_differ(&w, fp))
		st->end = UNWIND_DIFFERS;
}
