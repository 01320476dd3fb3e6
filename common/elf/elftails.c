/* SPDX-License-Identifier: ISC */
/*
 * Follows the jumps from function to function. As in gdb, a jump that cannot
 * be told from the code alone makes all of it unknown.
 */

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/xalloc.h"
#include "elf/dwarf.h"
#include "elf/elffile.h"
#include "elf/elffuncs.h"

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

/* The jumps on the way, and those that are left to try. */
struct step {
	struct dwunit *u;
	const struct dwtail_site *site, *end;
};

struct search {
	struct elftails *t;
	uint64_t callee;
	struct buf *err;
	struct step step[DEPTH];
	size_t depth;
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

/* Call sites, of DWARF 5 and as GNU had them before ------------------------ */

/* The function that begins at an address, or NULL. */
static const struct dwtail_func *
func_at(const struct dwtails *t, uint64_t addr)
{
	for (size_t i = 0; i < t->n_func; i++)
		if (t->func[i].addr == addr)
			return &t->func[i];
	return NULL;
}

/* The call that returns to an address, or NULL. */
static const struct dwtail_site *
site_before(const struct dwtails *t, uint64_t ret)
{
	for (size_t i = 0; i < t->n_site; i++)
		if (t->site[i].ret == ret)
			return &t->site[i];
	return NULL;
}

/* The end of a function's calls. */
static const struct dwtail_site *
sites_end(const struct dwtails *t, const struct dwtail_func *f)
{
	const size_t next = (size_t)(f - t->func) + 1;

	return t->site + (next < t->n_func ? t->func[next].first : t->n_site);
}

/*
 * What is called: its address; or 0, with its name, for what another unit
 * has. False when that depends on more than the code.
 */
static bool
find_target(const struct dwunit *u, const struct dwtail_site *site,
    uint64_t *addr, const char **name)
{
	Dwarf_Die die = {.addr = site->entry, .cu = u->cu}, target;
	Dwarf_Attribute at;
	Dwarf_Addr a;

	if (dwarf_attr(&die, DW_AT_call_origin, &at) == NULL &&
	    dwarf_attr(&die, DW_AT_abstract_origin, &at) == NULL)
		return false;
	if (dwarf_formref_die(&at, &target) == NULL)
		return false;
	*name = "";
	*addr = 0;
	if (dwindex_begin(target.cu, target.addr, &a))
		*addr = a;
	else
		*name = dwindex_name(target.cu, target.addr);
	return *addr != 0 || **name != 0;
}

/* Ways --------------------------------------------------------------------- */

static const struct elffuncs *
names(struct elftails *t, struct buf *err)
{
	if (!t->has_names)
		elffuncs_by_name(&t->names, t->file, err);
	t->has_names = true;
	return &t->names;
}

/* Where a call or jump goes; 0: not known. */
static uint64_t
target_of(
    struct search *s, const struct dwunit *u, const struct dwtail_site *site)
{
	const struct elffunc *f;
	const char *name;
	uint64_t addr;
	size_t n;

	if (!find_target(u, site, &addr, &name))
		return 0;
	if (addr != 0)
		return addr;
	f = elffuncs_named(names(s->t, s->err), name, &n);
	return n > 0 ? f->addr : 0;
}

/* The way to the callee; false when it has nothing in common with others. */
static bool
take_way(struct search *s)
{
	size_t n = s->depth, i;

	if (!s->found) {
		s->found = true;
		for (i = 0; i < n; i++)
			s->first[i] = s->step[i].site->ret;
		s->n_first = s->callers = s->callees = n;
		return true;
	}
	for (i = 0; i < s->callers && i < n; i++)
		if (s->first[i] != s->step[i].site->ret)
			break;
	s->callers = i;
	for (i = 0; i < s->callees && i < n; i++)
		if (s->first[s->n_first - 1 - i] !=
		    s->step[n - 1 - i].site->ret)
			break;
	s->callees = i;
	return s->callers > 0 || s->callees > 0;
}

static bool
on_the_way(const struct search *s, uint64_t ret)
{
	for (size_t i = 0; i < s->depth; i++)
		if (s->step[i].site->ret == ret)
			return true;
	return false;
}

/* Goes to the next jump that was not tried; false at the end. */
static bool
advance(struct search *s, struct step *next)
{
	for (;;) {
		while (next->site < next->end &&
		       (!next->site->tail || on_the_way(s, next->site->ret)))
			next->site++;
		if (next->site < next->end)
			return true;
		if (s->depth == 0)
			return false;
		*next = s->step[--s->depth];
		next->site++;
	}
}

/* False when the ways cannot be known. */
static bool
search(struct search *s, uint64_t target)
{
	for (int steps = 0; steps < STEPS; steps++) {
		const struct dwtail_func *f;
		struct step next = {0};

		if (target == s->callee) {
			if (!take_way(s))
				return false;
		} else {
			next.u = dwarf_unit(s->t->dwarf, target, s->err);
			f = next.u ? func_at(&next.u->tails, target) : NULL;
			if (f == NULL)
				return false;
			next.site = next.u->tails.site + f->first;
			next.end = sites_end(&next.u->tails, f);
		}
		if (!advance(s, &next))
			return s->found;
		if (s->depth == DEPTH)
			return false;
		s->step[s->depth++] = next;
		target = target_of(s, next.u, next.site);
		if (target == 0)
			return false;
	}
	return false;
}

static void
find(struct elftails *t, struct known *k, struct buf *err)
{
	struct search s = {.t = t, .callee = k->callee, .err = err};
	struct dwunit *u = dwarf_unit(t->dwarf, k->ret - 1, err);
	const struct dwtail_site *site =
	    u ? site_before(&u->tails, k->ret) : NULL;
	uint64_t target;

	if (site == NULL || site->tail)
		return;
	target = target_of(&s, u, site);
	if (target == 0 || target == k->callee || !search(&s, target))
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
	struct dwunit *u = dwarf_unit(t->dwarf, addr, err);
	const struct dwtail_func *f = u ? func_at(&u->tails, addr) : NULL;
	const char *own = f ? dwindex_name(u->cu, f->entry) : "";
	const struct elffunc *sym;
	size_t n = 0;

	if (*own == 0 || strcmp(own, name) == 0)
		return NULL;
	sym = elffuncs_named(names(t, err), own, &n);
	for (size_t i = 0; i < n; i++)
		if (sym[i].addr == addr)
			return sym[i].name;
	return NULL;
}
