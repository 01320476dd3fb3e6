/* SPDX-License-Identifier: ISC */
/*
 * Follows the jumps from function to function. As in gdb, a jump that cannot
 * be told from the code alone makes all of it unknown.
 */

#include "elf/elftails.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/xalloc.h"
#include "elf/dwindex.h"
#include "elf/dwarf.h"
#include "elffile/elffile.h"
#include "elffile/elffuncs.h"

enum { DEPTH = 32, STEPS = 512, SLOTS = 4096 };

/* What was found out: a slot for each hash of the two addresses. */
struct known {
	uint64_t ret, callee, pc[ELFSYM_TAILS_MAX];
	size_t n;
};

struct elftails {
	struct elffile *file;
	struct dwarf *dwarf;
	struct elffuncs names;
	bool has_names;
	struct known *known; /* SLOTS of them */
};

struct search {
	struct elftails *t;
	uint64_t callee;
	struct buf *err;
	uint64_t way[DEPTH]; /* the addresses after the jumps */
	size_t depth, steps;
	uint64_t first[DEPTH];		  /* the first way that was found */
	size_t n_first, callers, callees; /* what others share of it */
	bool found;
};

struct elftails *
elftails_new(struct elffile *f, struct dwarf *d)
{
	struct elftails *t = xcalloc(1, sizeof *t);

	t->file = f;
	t->dwarf = d;
	t->known = xcalloc(SLOTS, sizeof *t->known);
	return t;
}

void
elftails_free(struct elftails *t)
{
	if (t == NULL)
		return;
	elffuncs_done(&t->names);
	free(t->known);
	free(t);
}

/* A unit's function that begins at an address, or call that returns there. */
static const struct dwitem *
item_at(const struct dwunit *u, enum dwitem_kind kind, uint64_t addr)
{
	for (size_t i = 0; u != NULL && i < u->n; i++)
		if (u->item[i].kind == kind && u->item[i].addr == addr)
			return &u->item[i];
	return NULL;
}

static const struct elffunc *
symbols(struct elftails *t, const char *name, size_t *n, struct buf *err)
{
	if (!t->has_names)
		elffuncs_by_name(&t->names, t->file, err);
	t->has_names = true;
	return elffuncs_named(&t->names, name, n);
}

/*
 * Where a call or jump goes, to another unit by its name; 0 when that depends
 * on more than the code.
 */
static uint64_t
target_of(struct search *s, const struct dwunit *u, const struct dwitem *site)
{
	Dwarf_Die die = {.addr = site->entry, .cu = u->entries}, target;
	Dwarf_Attribute at;
	const struct elffunc *f;
	Dwarf_Addr addr;
	size_t n;

	if ((dwarf_attr(&die, DW_AT_call_origin, &at) == NULL &&
		dwarf_attr(&die, DW_AT_abstract_origin, &at) == NULL) ||
	    dwarf_formref_die(&at, &target) == NULL)
		return 0;
	if (dwindex_begin(target.cu, target.addr, &addr))
		return addr;
	f = symbols(s->t, dwindex_name(target.cu, target.addr), &n, s->err);
	return n > 0 ? f->addr : 0;
}

/* Takes a way to the callee; false when no two ways have anything in common. */
static bool
take_way(struct search *s)
{
	const size_t n = s->depth;
	size_t i;

	if (!s->found) {
		s->found = true;
		memcpy(s->first, s->way, sizeof s->first);
		s->n_first = s->callers = s->callees = n;
		return true;
	}
	for (i = 0; i < s->callers && i < n; i++)
		if (s->first[i] != s->way[i])
			break;
	s->callers = i;
	for (i = 0; i < s->callees && i < n; i++)
		if (s->first[s->n_first - 1 - i] != s->way[n - 1 - i])
			break;
	s->callees = i;
	return s->callers > 0 || s->callees > 0;
}

static bool
on_the_way(const struct search *s, uint64_t ret)
{
	for (size_t i = 0; i < s->depth; i++)
		if (s->way[i] == ret)
			return true;
	return false;
}

/*
 * Takes all ways from a function to the callee; false when they cannot be
 * known. Recurses DEPTH deep at most.
 */
static bool
follow(struct search *s, uint64_t target)
{
	const struct dwunit *u;
	const struct dwitem *i;

	if (target == 0 || s->steps++ == STEPS)
		return false;
	if (target == s->callee)
		return take_way(s);
	u = dwarf_unit(s->t->dwarf, target, s->err);
	i = item_at(u, DWITEM_FUNC, target);
	if (i == NULL)
		return false;
	while (++i < u->item + u->n && i->kind != DWITEM_FUNC) {
		if (i->kind != DWITEM_JUMP || on_the_way(s, i->addr))
			continue;
		if (s->depth == DEPTH)
			return false;
		s->way[s->depth++] = i->addr;
		if (!follow(s, target_of(s, u, i)))
			return false;
		s->depth--;
	}
	return true;
}

static void
find(struct elftails *t, struct known *k, struct buf *err)
{
	struct search s = {.t = t, .callee = k->callee, .err = err};
	const struct dwunit *u = dwarf_unit(t->dwarf, k->ret - 1, err);
	const struct dwitem *call = item_at(u, DWITEM_CALL, k->ret);

	if (call == NULL || !follow(&s, target_of(&s, u, call)) || !s.found)
		return;
	if (s.callees + s.callers > s.n_first)
		s.callees = s.n_first - s.callers;
	if (s.callees + s.callers > ELFSYM_TAILS_MAX)
		return;
	for (size_t i = 0; i < s.callees; i++)
		k->pc[k->n++] = s.first[s.n_first - 1 - i];
	while (s.callers > 0)
		k->pc[k->n++] = s.first[--s.callers];
}

size_t
elftails_find(struct elftails *t, uint64_t ret, uint64_t callee,
    uint64_t pc[ELFSYM_TAILS_MAX], struct buf *err)
{
	uint64_t hash = (ret ^ callee << 20) * UINT64_C(0x9e3779b97f4a7c15);
	struct known *k = &t->known[hash >> 52];

	if (k->ret != ret || k->callee != callee) {
		*k = (struct known){.ret = ret, .callee = callee};
		find(t, k, err);
	}
	memcpy(pc, k->pc, k->n * sizeof *pc);
	return k->n;
}

const char *
elftails_alias(
    struct elftails *t, uint64_t addr, const char *name, struct buf *err)
{
	const struct dwunit *u = dwarf_unit(t->dwarf, addr, err);
	const struct dwitem *f = item_at(u, DWITEM_FUNC, addr);
	const char *own = f ? dwindex_name(u->entries, f->entry) : "";
	const struct elffunc *sym;
	size_t n = 0;

	if (*own == 0 || strcmp(own, name) == 0)
		return NULL;
	sym = symbols(t, own, &n, err);
	for (size_t i = 0; i < n; i++)
		if (sym[i].addr == addr)
			return sym[i].name;
	return NULL;
}
