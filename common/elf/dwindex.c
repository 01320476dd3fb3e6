/* SPDX-License-Identifier: ISC */
/* Finds an address's unit; the walk over its entries, forward only. */

#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/xalloc.h"
#include "elf/dwarf.h"
#include "elf/elffile.h"

enum {
	DEPTH_MAX = 2048, /* entries in entries */
	STEPS = 64,	  /* entries between looks at the clock */
	FORGET = 256	  /* units whose pages may stay in memory */
};

struct indexer {
	struct dwarf *d;
	struct dwunit *u;
	bool is_c;		  /* its types hold no functions */
	Dwarf_Die die;		  /* the entry that is looked at */
	const unsigned char *end; /* of the unit */
	size_t n, cap;		  /* of u->inlined */
	struct seg_range *range;
	size_t n_ranges, cap_ranges;
	uint32_t around[DEPTH_MAX]; /* by depth: the call that entries are in */
	size_t depth;
};

static uint32_t
number_of(Dwarf_Die *die, unsigned name)
{
	Dwarf_Attribute at;
	Dwarf_Word n;

	if (dwarf_formudata(dwarf_attr(die, name, &at), &n) != 0 ||
	    n > UINT32_MAX)
		return 0;
	return (uint32_t)n;
}

static void
add_range(struct indexer *x, uint64_t lo, uint64_t hi)
{
	*xpush(x->range, x->n_ranges, x->cap_ranges) =
	    (struct seg_range){lo, hi, (uint32_t)x->n};
	x->d->items--;
}

/* Adds the ranges of an entry; false when they are damaged. */
static bool
add_ranges(struct indexer *x)
{
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;

	while (x->d->items > 0 &&
	       (at = dwarf_ranges(&x->die, at, &base, &lo, &hi)) > 0)
		add_range(x, lo, hi);
	return at == 0;
}

/*
 * Takes an inlined call that has code. Returns whether it could be read;
 * *self becomes its number, or stays what is around it when it has no code.
 */
static bool
add_inlined(struct indexer *x, uint32_t *self)
{
	struct dwunit *u = x->u;
	const size_t n_ranges = x->n_ranges;
	Dwarf_Die named = x->die, origin;
	Dwarf_Attribute at;

	if (!add_ranges(x) || x->d->items == 0) {
		x->n_ranges = n_ranges;
		return false;
	}
	if (x->n_ranges == n_ranges)
		return true;
	if (dwarf_formref_die(
		dwarf_attr(&x->die, DW_AT_abstract_origin, &at), &origin) &&
	    origin.cu == named.cu)
		named = origin;
	*xitem(u->inlined, x->n, x->cap) = (struct inlined){.parent = *self,
	    .entry = named.addr,
	    .file = number_of(&x->die, DW_AT_call_file),
	    .line = number_of(&x->die, DW_AT_call_line)};
	*self = (uint32_t)x->n++;
	x->d->items--;
	return true;
}

static bool
is_c(int language)
{
	return language == DW_LANG_C89 || language == DW_LANG_C ||
	       language == DW_LANG_C99 || language == DW_LANG_C11;
}

/* Whether entries with code may be in such an entry. */
static bool
holds_code(const struct indexer *x, int tag)
{
	switch (tag) {
	case DW_TAG_subprogram:
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_entry_point:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return true;
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
		return !x->is_c;
	default:
		return false;
	}
}

/* Where a function begins, and the calls in it, which come after its entry. */
static void
add_tails(struct indexer *x, int tag)
{
	struct dwtails *t = &x->u->tails;
	Dwarf_Attribute at;
	Dwarf_Addr addr;

	if (tag == DW_TAG_subprogram &&
	    dwindex_begin(x->die.cu, x->die.addr, &addr)) {
		*xpush(t->func, t->n_func, t->cap_func) = (struct dwtail_func){
		    addr, x->die.addr, (uint32_t)t->n_site};
		x->d->items--;
	}
	if ((tag != DW_TAG_call_site && tag != DW_TAG_GNU_call_site) ||
	    t->n_func == 0 || t->n_site == UINT32_MAX ||
	    (dwarf_formaddr(
		 dwarf_attr(&x->die, DW_AT_call_return_pc, &at), &addr) != 0 &&
		dwarf_lowpc(&x->die, &addr) != 0))
		return;
	*xpush(t->site, t->n_site, t->cap_site) =
	    (struct dwtail_site){addr, x->die.addr,
		dwarf_hasattr(&x->die, DW_AT_call_tail_call) ||
		    dwarf_hasattr(&x->die, DW_AT_GNU_tail_call)};
	x->d->items--;
}

/* Takes the entry; 1 to go on in it, 0 after it, -1 when it is damaged. */
static int
take_entry(struct indexer *x)
{
	const int tag = dwarf_tag(&x->die);
	uint32_t self = x->around[x->depth];
	Dwarf_Die child;
	int status;

	if (tag == DW_TAG_invalid)
		return -1;
	if (tag == DW_TAG_inlined_subroutine && !add_inlined(x, &self))
		return -1;
	if (x->d->tails && x->d->items > 0)
		add_tails(x, tag);
	if (tag == DW_TAG_subprogram)
		self = UINT32_MAX;
	/*
	 * Without DW_AT_sibling libdw would step over all that is in the entry,
	 * again for each entry around it.
	 */
	if (!dwarf_haschildren(&x->die) ||
	    (!holds_code(x, tag) && dwarf_hasattr(&x->die, DW_AT_sibling)))
		return 0;
	status = dwarf_child(&x->die, &child);
	if (status != 0)
		return status < 0 ? -1 : 0;
	if (x->depth + 1 == DEPTH_MAX)
		return -1;
	x->around[++x->depth] = self;
	x->die = child;
	return 1;
}

/* Moves on after the entry; 1, 0 at the end of the unit, -1 for damage. */
static int
next_entry(struct indexer *x)
{
	Dwarf_Die next = {0};
	int status = dwarf_siblingof(&x->die, &next);

	/* At the end of a list, next.addr is that end. */
	while (status == 1) {
		const unsigned char *p = next.addr;

		if (p == NULL || p + 1 >= x->end || x->depth == 0)
			return 0;
		x->depth--;
		next = (Dwarf_Die){
		    .addr = (void *)(uintptr_t)(p + 1), .cu = x->die.cu};
		status = p[1] == 0;
	}
	x->die = next;
	return status < 0 ? -1 : 1;
}

static void
walk(struct indexer *x, struct buf *err)
{
	int64_t clock = 0;
	unsigned step = 0;
	int status = 1;

	while (status == 1) {
		if (step++ % STEPS == 0 && !dwunits_spend(x->d, &clock)) {
			dw_damage(err, "too much work", x->u->start);
			return;
		}
		status = take_entry(x);
		if (status == 0)
			status = next_entry(x);
	}
	if (status < 0)
		dw_damage(err, "damaged entry", dwarf_dieoffset(&x->die));
}

/*
 * Which call each inlined one is in, and their ranges, flattened. *err says
 * what is damaged.
 */
static void
dwindex_make(struct dwarf *d, struct dwunit *u, struct buf *err)
{
	struct indexer *x = xcalloc(1, sizeof *x);
	Dwarf_Die root;

	u->indexed = true;
	x->d = d;
	x->u = u;
	x->around[0] = UINT32_MAX;
	if (dwunits_root(d, u, err) &&
	    dwarf_offdie(u->dw, u->dw_die, &root) != NULL) {
		dwunits_check_memory();
		u->cu = root.cu;
		x->is_c = is_c(dwarf_srclang(&root));
		x->end = (unsigned char *)root.addr + (u->dw_end - u->dw_die);
		if (dwarf_child(&root, &x->die) == 0)
			walk(x, err);
	}
	u->n_inlined = (uint32_t)x->n;
	segs_build(x->range, x->n_ranges, &u->segs);
	if (++d->n_indexed % FORGET == 0)
		elffile_forget(d->file);
	free(x->range);
	free(x);
}

struct dwunit *
dwarf_unit(struct dwarf *d, uint64_t addr, struct buf *err)
{
	struct dwunit *u = dwunits_at(d, addr);

	if (u != NULL && !u->indexed)
		dwindex_make(d, u, err);
	return u;
}

/* Names ----------------------------------------------------------------- */

/* The name of an entry's function: that of the linker, or else its own. */
const char *
dwindex_name(Dwarf_CU *cu, void *entry)
{
	static const unsigned kinds[] = {
	    DW_AT_linkage_name, DW_AT_MIPS_linkage_name, DW_AT_name};
	Dwarf_Die die = {.addr = entry, .cu = cu};
	Dwarf_Attribute at;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		const char *name =
		    dwarf_formstring(dwarf_attr_integrate(&die, kinds[i], &at));

		if (name != NULL && *name != 0)
			return name;
	}
	return "";
}

bool
dwindex_begin(Dwarf_CU *cu, void *entry, uint64_t *addr)
{
	Dwarf_Die die = {.addr = entry, .cu = cu};
	Dwarf_Addr base, end;

	return dwarf_lowpc(&die, addr) == 0 ||
	       (dwarf_hasattr(&die, DW_AT_ranges) &&
		   dwarf_ranges(&die, 0, &base, addr, &end) > 0);
}
