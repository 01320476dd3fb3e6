/* SPDX-License-Identifier: ISC */
/* What the stages of a step read: modules, code and the stack. */
#include "unwind/read.h"

#include "insn/arm.h"
#include "insn/insn.h"
#include "insn/risc.h"
#include "insn/x86_frame.h"
#include "unwind/walk.h"

/* How far jumps are followed, through how many functions in all. */
enum { JUMPS = 4, LOOKS = 64 };

/* The longest function that is read from memory. */
enum { CODE = 4096 };

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
walk_find(const struct walk *w, uint64_t addr)
{
	struct unwind_module *m = unwinder_find(w->u, addr);
	const struct unwind_settings *set = &w->u->set;

	if (m == NULL && set->find != NULL && set->find(set->arg, addr))
		m = unwinder_find(w->u, addr);
	return m;
}

enum stage_result
walk_end(struct walk *w, enum unwind_end end)
{
	w->st->end = end;
	return STAGE_END;
}

size_t
walk_code(struct walk *w, uint64_t addr, uint8_t *to, size_t n)
{
	struct unwind_module *m = unwinder_find(w->u, addr);
	size_t got, own = 0;

	if (m != NULL && (w->u->set.code == NULL || m->program))
		return uelf_bytes(m->e, addr - m->bias, to, n);
	if (w->u->set.code == NULL || (m == NULL && !w->any_code))
		return 0;
	got = w->u->set.code(w->u->set.arg, addr, to, n);
	/* Linux frees the code of its beginning, to which stacks lead. */
	if (got == 0 && m != NULL)
		got = own = uelf_bytes(m->e, addr - m->bias, to, n);
	if (got < n && own == 0)
		w->no_code = addr;
	return got;
}

struct function
walk_function(const struct unwind_module *m, uint64_t addr)
{
	struct function f = {0};
	uint64_t end, own;

	if (m == NULL || (own = uelf_function(m->e, addr - m->bias, &end)) == 0)
		return f;
	f.start = own + m->bias;
	f.size = end - own;
	f.at = addr - f.start;
	f.code = uelf_code(m->e, own, &f.n);
	f.n = f.n < f.size ? f.n : (size_t)f.size;
	return f;
}

bool
walk_called(
    const struct walk *w, size_t more, struct risc_frame *f, const bool *until)
{
	const struct unwind_abi *abi = w->u->abi;
	const struct function in = walk_function(w->m, w->lookup);
	const uint64_t n = in.at + more < in.n ? in.at + more : in.n;

	if (w->exact || abi->x86 || abi->arm || in.code == NULL)
		return false;
	risc_frame(w->u->arch, in.code, (size_t)n, f, until);
	return true;
}

int
walk_memory(void *arg, uint64_t addr, uint64_t *to)
{
	struct walk *w = arg;
	const unsigned bytes = w->u->abi->word;

	if (bytes == 4)
		addr = (uint32_t)addr;
	if (w->read(w->arg, addr, to) != 0) {
		w->st->bad = addr;
		return -1;
	}
	if (addr + bytes > w->st->top)
		w->st->top = addr + bytes;
	return 0;
}

/*
 * On arm the lowest bit says that the caller is Thumb code. On aarch64 a
 * return address that is signed has that in its highest bits: of 48-bit
 * addresses these are all as bit 55.
 */
uint64_t
walk_unsigned(const struct walk *w, uint64_t pc)
{
	if (w->u->abi->arm)
		return pc & ~UINT64_C(1);
	if (w->u->arch != UNWIND_AARCH64)
		return pc;
	return pc >> 55 & 1 ? pc | 0xffffULL << 48 : pc & ~(0xffffULL << 48);
}

/*
 * Words that are not addresses: too small, unless a file has code there, odd,
 * or of no half of the memory.
 */
static bool
is_address(const struct unwinder *u, uint64_t v)
{
	const struct unwind_abi *abi = u->abi;
	const int64_t high = (int64_t)v >> 56;

	if ((v < 4096 && !abi->arm && unwinder_find(u, v) == NULL) ||
	    (!abi->x86 && (v & 1) != 0))
		return false;
	return abi->word == 4 || high == 0 || high == -1;
}

/* Code that no file has is taken for Thumb's. */
bool
walk_thumb(const struct walk *w, uint64_t addr)
{
	const struct unwind_module *m = unwinder_find(w->u, addr);

	return m == NULL || uelf_thumb(m->e, addr - m->bias);
}

/* Of the first instruction that can be read there is none before it. */
static bool
arm_returns(struct walk *w, uint64_t addr)
{
	uint8_t code[ARM_CALL_BYTES];
	const uint64_t no_code = w->no_code;
	size_t n = ARM_CALL_BYTES;

	if (walk_code(w, addr - n, code, n) != n) {
		w->no_code = no_code;
		n = 4;
		if (walk_code(w, addr - n, code, n) != n)
			return false;
	}
	return arm_is_call(code, n, walk_thumb(w, addr - 1));
}

bool
walk_is_return(struct walk *w, uint64_t addr)
{
	uint8_t code[X86_CALL];
	const size_t n = w->u->abi->x86 ? X86_CALL : 4;

	if (!is_address(w->u, addr))
		return false;
	if (w->u->abi->arm)
		return arm_returns(w, addr);
	if (walk_code(w, addr - n, code, n) != n)
		return false;
	return w->u->abi->x86 ? x86_after_call(code)
			      : risc_is_call(w->u->arch, code);
}

bool
walk_begins(struct walk *w)
{
	const struct unwind_abi *abi = w->u->abi;
	const uint64_t pc = w->regs.r[abi->pc];
	const struct function f = walk_function(unwinder_find(w->u, pc), pc);
	uint64_t to;
	uint8_t p[4];

	if (f.size == 0 || f.at != 0 || w->caller->interrupted ||
	    !(abi->arm || abi->x86))
		return false;
	/* A function's last instruction can be a call that does not return. */
	if (abi->x86)
		return !walk_is_return(w, pc);
	return walk_code(w, pc - sizeof p, p, sizeof p) != sizeof p ||
	       !arm_called(p, walk_thumb(w, pc - 1), pc, &to) ||
	       to != walk_function(w->m, w->lookup).start;
}

bool
walk_by_code(struct walk *w, struct caller *c)
{
	const struct function f = walk_function(w->m, w->lookup);

	return f.code != NULL && x86_frame(f.code, f.n, f.at, c);
}

enum stage_result
walk_by_return(struct walk *w)
{
	const struct caller *c = &w->made;
	uint64_t word;

	if (!walk_by_code(w, &w->made) || !walk_knows(w, c->cfa_reg) ||
	    walk_memory(w, w->regs.r[c->cfa_reg] + (uint64_t)c->cfa_off - 8,
		&word) != 0)
		return STAGE_NEXT;
	return walk_is_return(w, word) ? STAGE_FOUND
	       : w->no_code	       ? STAGE_NEXT
				       : STAGE_END;
}

/*
 * Whether callers have called. Each pair of a place in a function and its
 * return address is looked at once. Code that a kernel may have patched is
 * looked at in memory and in the file.
 */
struct search {
	struct walk *w;
	const struct function *own;
	unsigned left; /* functions that are still looked at */
};

static bool reaches(struct search *s, uint64_t to, unsigned depth);

/* Whether the code of a function jumps to s->own, or to what is not known. */
static bool
jumps(struct search *s, const struct function *f, const uint8_t *code, size_t n,
    unsigned depth)
{
	const enum unwind_arch arch = s->w->u->arch;
	const bool thumb = s->w->u->abi->arm && walk_thumb(s->w, f->start);
	size_t at = 0;
	int64_t to = 0;

	for (;;) {
		switch (code_jump(arch, thumb, code, n, &at, &to)) {
		case JUMP_NONE:
			return false;
		case JUMP_ANYWHERE:
			return true;
		default:
			if ((to < 0 || (uint64_t)to >= f->size) &&
			    reaches(s, f->start + (uint64_t)to, depth))
				return true;
		}
	}
}

/* Whether code at `to` may come to s->own without a call. */
static bool
reaches(struct search *s, uint64_t to, unsigned depth)
{
	const struct function *own = s->own;
	const struct unwind_module *m = unwinder_find(s->w->u, to);
	const struct function f = walk_function(m, to);
	const bool all = f.code != NULL && f.n >= f.size;
	uint8_t code[CODE];

	if (to - own->start < own->size || f.start + f.size == own->start ||
	    (!all && f.size > CODE) || f.size == 0)
		return true;
	if (depth == JUMPS || s->left == 0)
		return true;
	s->left--;
	if (all && jumps(s, &f, f.code, f.n, depth + 1))
		return true;
	if (m->program || s->w->u->set.code == NULL || f.size > CODE)
		return !all;
	return walk_code(s->w, f.start, code, (size_t)f.size) != f.size ||
	       jumps(s, &f, code, (size_t)f.size, depth + 1);
}

/* As walk_leads(), by the code. */
static bool
leads(struct walk *w, uint64_t pc)
{
	const struct function own = walk_function(w->m, w->lookup);
	struct search s = {w, &own, LOOKS};
	struct function f;
	uint64_t to;
	uint8_t p[8];
	bool thumb;

	if (own.size == 0 ||
	    walk_code(w, pc - sizeof p, p, sizeof p) < sizeof p)
		return true;
	thumb = w->u->abi->arm && walk_thumb(w, pc - 1);
	to = code_called(w->u->arch, thumb, p, pc);
	if (to == 0 || to == own.start)
		return true;
	/* A target that is not a function's beginning is not known. */
	f = walk_function(unwinder_find(w->u, to), to);
	return f.size == 0 || f.at != 0 || reaches(&s, to, 0);
}

bool
walk_leads(struct walk *w, uint64_t pc)
{
	const uint64_t no_code = w->no_code;
	struct walk_pair *p =
	    &w->u->pair[(pc ^ pc >> 12 ^ w->lookup * 31) % WALK_PAIRS];
	bool good;

	if (w->m == NULL ||
	    (p->pc == pc && p->from == w->lookup && p->m == w->m))
		return true;
	good = leads(w, pc);
	w->no_code = no_code; /* the call itself was read before */
	if (good)
		*p = (struct walk_pair){w->m, w->lookup, pc};
	return good;
}
