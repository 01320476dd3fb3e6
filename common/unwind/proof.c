/* SPDX-License-Identifier: ISC */
/*
 * Each pair of a place in a function and its return address is looked at once.
 * Code that a kernel may have patched is looked at in memory and in the file.
 */
#include "unwind/proof.h"

#include "insn/jumps.h"
#include "unwind/read.h"

/* How far jumps are followed, through how many functions in all. */
enum { JUMPS = 4, LOOKS = 64 };

/* The longest function that is read from memory. */
enum { CODE = 4096 };

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
	size_t at = 0;
	int64_t to = 0;

	for (;;) {
		switch (code_jump(s->w->u->arch, code, n, &at, &to)) {
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

/* As proof_leads(), by the code. */
static bool
leads(struct walk *w, uint64_t pc)
{
	const struct function own = walk_function(w->m, w->lookup);
	struct search s = {w, &own, LOOKS};
	struct function f;
	uint64_t to;
	uint8_t p[8];

	if (own.size == 0 ||
	    walk_code(w, pc - sizeof p, p, sizeof p) < sizeof p)
		return true;
	to = code_called(w->u->arch, p, pc);
	if (to == 0 || to == own.start)
		return true;
	/* A target that is not a function's beginning is not known. */
	f = walk_function(unwinder_find(w->u, to), to);
	return f.size == 0 || f.at != 0 || reaches(&s, to, 0);
}

bool
proof_leads(struct walk *w, uint64_t pc)
{
	const uint64_t no_code = w->no_code;
	struct proof_pair *p =
	    &w->u->pair[(pc ^ pc >> 12 ^ w->lookup * 31) % PROOF_PAIRS];
	bool good;

	if (w->m == NULL || !code_jumps_known(w->u->arch) ||
	    (p->pc == pc && p->from == w->lookup && p->m == w->m))
		return true;
	good = leads(w, pc);
	w->no_code = no_code; /* the call itself was read before */
	if (good)
		*p = (struct proof_pair){w->m, w->lookup, pc};
	return good;
}
