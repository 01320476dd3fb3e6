/* SPDX-License-Identifier: ISC */
/*
 * The stages by tables: the kernel's own, call frame information, and that of
 * the functions.
 */
#include "unwind/tables.h"

#include <stdlib.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "insn/risc.h"
#include "insn/x86_frame.h"
#include "unwind/entries.h"
#include "unwind/read.h"
#include "unwind/walk.h"
#include "unwind/walk_arm.h"

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
 * On aarch64 a function of Go has its return address at the bottom of its
 * frame, or in lr if it has none. Whoever injects a call puts lr above that.
 */
static enum stage_result
go_by_link(struct walk *w, int64_t depth, bool injected)
{
	const struct unwind_abi *abi = w->u->abi;
	const int64_t above = injected ? 2 * abi->word : 0;

	if (depth == 0 && (!w->exact || !walk_knows(w, abi->ra)))
		return STAGE_NEXT;
	caller_init(&w->made, abi->sp, depth + above);
	w->made.keep = 1ULL << abi->sp | 1ULL << abi->ra;
	w->made.interrupted = injected;
	caller_add(&w->made, abi->pc, depth > 0 ? CALLER_AT : CALLER_REG,
	    depth > 0 ? -depth - above : abi->ra);
	if (injected)
		caller_add(&w->made, abi->ra, CALLER_AT, -above);
	return STAGE_FOUND;
}

/*
 * Go's call frame information leads on from its scheduler's stacks, where
 * nobody has called.
 */
enum stage_result
stage_go(struct walk *w)
{
	const struct unwind_abi *abi = w->u->abi;
	struct gofunc f;
	uint64_t own;
	int64_t depth;

	if (w->m == NULL || w->m->e->go.n == 0)
		return STAGE_NEXT;
	own = w->lookup - w->m->bias;
	if (!gotab_find(&w->m->e->go, own, &f))
		return STAGE_NEXT;
	if (f.top || (f.moves_sp && !w->exact))
		return walk_end(w, UNWIND_ROOT);
	depth = gotab_depth(&w->m->e->go, &f, own);
	if (depth < 0)
		return STAGE_NEXT;
	w->guessed = f.moves_sp;
	if (w->u->arch == UNWIND_AARCH64)
		return go_by_link(w, depth, f.injected);
	caller_init(&w->made, abi->sp, depth + abi->word);
	w->made.keep = 1 << abi->sp;
	w->made.interrupted = f.injected;
	caller_add(&w->made, abi->pc, CALLER_AT, -(int64_t)abi->word);
	return STAGE_FOUND;
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

/* The longest naked function, and how Thumb's instructions are apart. */
enum { NAKED = 256, THUMB = 2 };

static bool
saves_ra(const struct walk *w, const struct caller *c)
{
	return c == NULL || caller_find(c, w->u->abi->ra) != NULL;
}

/*
 * Whether the code has to tell: GCC gives naked functions, whose code is all
 * assembler, call frame information that says nothing of what that does. So do
 * handlers of Cortex-M's kernels save lr and call. With -pg a leaf saves lr for
 * the call of __gnu_mcount_nc alone, which is not in the information either.
 */
static bool
is_naked(struct walk *w, uint64_t own)
{
	const uint8_t sp = w->u->abi->sp;
	const struct function f = walk_function(w->m, w->lookup);
	const struct caller *c;
	struct caller code;
	uint64_t at = own;
	bool bad;

	if (!w->u->abi->arm || f.code == NULL ||
	    saves_ra(w, cfi_find(w->m->e->cfi, own, &bad)))
		return false;
	if (!w->exact)
		return true; /* it has called, so lr is not its own */
	if (f.at > NAKED || !walk_arm_frame(w, &f, &code) ||
	    (code.cfa_reg == sp && code.cfa_off == 0))
		return false;
	for (;; at -= THUMB) {
		c = cfi_find(w->m->e->cfi, at, &bad);
		if (saves_ra(w, c) || c->cfa != CFA_REG || c->cfa_reg != sp ||
		    c->cfa_off != 0)
			return false;
		if (at - THUMB < own - f.at)
			return true;
	}
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
	if (is_naked(w, own))
		return STAGE_NEXT;
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
	if (w->u->abi->arm && sp != NULL && sp->how == CALLER_AT)
		return STAGE_NEXT;
	if (((sp != NULL && sp->how == CALLER_AT) ||
		(w->exact && ra == NULL)) &&
	    walk_file_entry(w))
		return STAGE_FOUND;
	w->caller = c;
	return STAGE_FOUND;
}

/* Functions whose beginnings are looked at, and their bytes. */
enum { LOOKS = 1024, LOOK = 8, RISC_LOOK = 64 };

/*
 * How many of `all` functions begin with a frame of their own. A kernel that
 * was compiled without frame pointers has hardly any.
 */
static unsigned
count_framed(const struct uelf *e, enum unwind_arch arch, unsigned *all)
{
	const struct unwind_abi *abi = &unwind_abis[arch];
	uint8_t code[RISC_LOOK];
	uint64_t start;
	unsigned framed = 0;
	struct risc_frame frame;
	bool pushed;

	*all = 0;
	for (size_t i = 0;
	     *all < LOOKS && (start = uelf_sample(e, i, LOOKS)) != 0;
	     i++, ++*all) {
		const size_t len =
		    uelf_bytes(e, start, code, abi->x86 ? LOOK : sizeof code);

		framed +=
		    abi->x86 ? x86_record(code, len, len, abi->word, &pushed)
		    : abi->arm
			? 0 /* by the code of each */
			: risc_frame(arch, code, len, &frame, &frame.record);
	}
	return framed;
}

/* Larger files are not read for the beginnings of their functions. */
enum { STARTS_MAX = 16 << 20 };

struct starts {
	struct uelf *e;
	uint64_t *v;
	size_t n, cap;
};

/* Pointers may be those of labels of a switch, too. */
static void
add_start(struct starts *s, uint64_t addr, bool call)
{
	size_t n;
	const uint8_t *code = uelf_code(s->e, addr, &n);

	if (code != NULL && (call || x86_begins(code, n)))
		*xpush(s->v, s->n, s->cap) = addr;
}

/*
 * Functions that have no symbols: those that the file's code calls or names,
 * and those whose addresses are words of the file, or of its relocations.
 */
static void
find_starts(struct uelf *e)
{
	size_t n, size;
	const uint8_t *p, *image = uelf_image(e, &size);
	struct starts s = {.e = e};
	struct x86_name name;
	uint64_t addr;

	if (image == NULL || size > STARTS_MAX)
		return;
	for (size_t i = 0; i < e->n_seg; i++) {
		p = uelf_segment(e, i, &addr, &n);
		for (size_t at = 0; x86_named(p, n, &at, addr, &name);)
			add_start(&s, name.to, name.call);
	}
	for (size_t at = 0; at + 8 <= size; at += 8)
		add_start(&s, uint_load(image + at, 8, false), false);
	uelf_add_functions(e, s.v, s.n);
	free(s.v);
}

void
tables_frames(const struct unwinder *u, struct unwind_module *m)
{
	unsigned all, framed = count_framed(m->e, u->arch, &all);

	/* One of 16 is enough: there are leaves, and symbols of assembler. */
	m->frames = !u->abi->x86 || framed * 16 >= all;
	m->records = framed * 4 >= all && all > 0;
}

/* Once, when code is needed: some 20 ms a megabyte, while the guest may stand.
 */
enum stage_result
stage_starts(struct walk *w)
{
	struct unwind_module *m = w->m;

	if (m == NULL || !m->bare)
		return STAGE_NEXT;
	m->bare = false;
	find_starts(m->e);
	tables_frames(w->u, m);
	return STAGE_NEXT;
}
