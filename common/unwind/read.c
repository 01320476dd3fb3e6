/* SPDX-License-Identifier: ISC */
/* What the stages of a step read: modules, code and the stack. */
#include "insn/arm.h"
#include "insn/risc.h"
#include "insn/x86_frame.h"
#include "unwind/walk.h"

struct unwind_module *
unwinder_find(const struct unwinder *u, uint64_t addr)
{
	for (size_t i = 0; i < u->n_mod; i++) {
		struct unwind_module *m = u->mod[i];
		uint64_t own = addr - m->bias;

		if (m->use && own >= m->e->low && own < m->e->high &&
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
	const unsigned sp = w->u->abi->sp;

	if (m == NULL && set->find != NULL &&
	    set->find(
		set->arg, addr, (w->known >> sp & 1) != 0 ? w->regs.r[sp] : 0))
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
	size_t got;

	if (m != NULL && (w->u->set.code == NULL || m->program))
		return uelf_bytes(m->e, addr - m->bias, to, n);
	if (w->u->set.code == NULL || (m == NULL && !w->any_code))
		return 0;
	got = w->u->set.code(w->u->set.arg, addr, to, n);
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

const uint8_t *
walk_called_from(const struct walk *w, size_t more, size_t *n)
{
	uint64_t start;
	const uint8_t *p = w->m == NULL || w->exact || w->u->abi->x86
			       ? NULL
			       : walk_function(w->m, w->lookup, &start, n);

	if (p != NULL && *n > w->lookup - start + more)
		*n = w->lookup - start + more;
	return p;
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

/* Words that are not addresses: too small, odd, or of no half of the memory. */
static bool
is_address(const struct unwind_abi *abi, uint64_t v)
{
	const int64_t high = (int64_t)v >> 56;

	if ((v < 4096 && !abi->arm) || (!abi->x86 && (v & 1) != 0))
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

bool
walk_is_return(struct walk *w, uint64_t addr)
{
	uint8_t code[X86_CALL];
	const size_t n = w->u->abi->x86 ? X86_CALL : 4;

	if (!is_address(w->u->abi, addr) ||
	    walk_code(w, addr - n, code, n) != n)
		return false;
	if (w->u->abi->arm)
		return arm_is_call(code, walk_thumb(w, addr - 1));
	return w->u->abi->x86 ? x86_after_call(code)
			      : risc_is_call(w->u->arch, code);
}
