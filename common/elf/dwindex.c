/* SPDX-License-Identifier: ISC */
/*
 * Indexes a unit: one walk over its entries, forward only, finds the inlined
 * calls and their ranges.
 */

#include "elf/dwindex.h"

#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>

#include "base/xalloc.h"
#include "elf/dwunits.h"
#include "elf/dwlines.h"
#include "elf/dwarf.h"
#include "elffile/elffile.h"

enum {
	DEPTH_MAX = 2048,	/* entries in entries */
	FORGET = 256,		/* units whose pages may stay in memory */
	ORIGINS_MAX = 16,	/* entries of one function */
	NAME_LEN_MAX = 16 << 10 /* bytes of a name that count */
};

struct indexer {
	struct dwarf *d;
	struct dwunit *u;
	bool is_c;		  /* its types hold no functions */
	Dwarf_Die die;		  /* the entry that is looked at */
	const unsigned char *end; /* of the unit */
	struct seg_range *range;
	size_t n_ranges, cap_ranges;
	uint32_t around[DEPTH_MAX]; /* by depth: the call that entries are in */
	size_t depth;
};

/* Keeps the entry; returns its number. */
static uint32_t
add_item(
    struct indexer *x, enum dwitem_kind kind, uint32_t parent, uint64_t addr)
{
	struct dwunit *u = x->u;

	dwunits_spend(x->d, sizeof *u->item);
	*xpush(u->item, u->n, u->cap) =
	    (struct dwitem){{x->die.addr}, {addr}, parent, (uint8_t)kind};
	return (uint32_t)u->n - 1;
}

/*
 * Takes an inlined call that has code. Returns whether it could be read;
 * *self becomes its number, or stays what is around it when it has no code.
 */
static bool
add_inlined(struct indexer *x, uint32_t *self)
{
	const size_t before = x->n_ranges;
	const uint32_t id = (uint32_t)x->u->n;
	Dwarf_Addr base, lo, hi;
	ptrdiff_t at = 0;
	bool left = true;

	while (left && (at = dwarf_ranges(&x->die, at, &base, &lo, &hi)) > 0) {
		*xpush(x->range, x->n_ranges, x->cap_ranges) =
		    (struct seg_range){lo, hi, id};
		left = dwunits_spend(x->d, SEG_BYTES);
	}
	if (at != 0) {
		x->n_ranges = before;
		return false;
	}
	if (x->n_ranges > before)
		*self = add_item(x, DWITEM_INLINED, *self, 0);
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
	Dwarf_Attribute at;
	Dwarf_Addr addr;

	if (tag == DW_TAG_subprogram) {
		if (dwindex_begin(x->die.cu, x->die.addr, &addr))
			add_item(x, DWITEM_FUNC, UINT32_MAX, addr);
	} else if (tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site) {
		const bool jump =
		    dwarf_hasattr(&x->die, DW_AT_call_tail_call) ||
		    dwarf_hasattr(&x->die, DW_AT_GNU_tail_call);

		if (dwarf_formaddr(
			dwarf_attr(&x->die, DW_AT_call_return_pc, &at),
			&addr) == 0 ||
		    dwarf_lowpc(&x->die, &addr) == 0)
			add_item(x, jump ? DWITEM_JUMP : DWITEM_CALL,
			    UINT32_MAX, addr);
	}
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
	if (x->d->tails)
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
	int status = 1;

	dwunits_start(x->d);
	while (status == 1) {
		if (!dwunits_spend(x->d, 0)) {
			dw_damage(
			    err, "too much work", dwarf_dieoffset(&x->die));
			return;
		}
		status = take_entry(x);
		if (status == 0)
			status = next_entry(x);
	}
	if (status < 0)
		dw_damage(err, "damaged entry", dwarf_dieoffset(&x->die));
}

/* The end of a unit; NULL when it cannot be told. */
static const unsigned char *
unit_end(Dwarf_Die *root, bool split, struct buf *err)
{
	Dwarf *dw = dwarf_cu_getdwarf(root->cu);
	const Dwarf_Off at = dwarf_dieoffset(root);
	struct elf_section info;
	Dwarf_Off end;

	if (elf_find_section(dwarf_getelf(dw),
		split ? ".debug_info.dwo" : ".debug_info", &info, err) != 0 ||
	    dwarf_next_unit(dw, at - dwarf_cuoffset(root), &end, NULL, NULL,
		NULL, NULL, NULL, NULL, NULL) != 0)
		return NULL;
	return (unsigned char *)root->addr - at +
	       (end < info.len ? end : info.len);
}

/*
 * Which call each inlined one is in, and their ranges, flattened. *err says
 * what is damaged.
 */
static void
index_unit(struct dwarf *d, struct dwunit *u, struct buf *err)
{
	struct indexer *x = xcalloc(1, sizeof *x);
	Dwarf_Die root;

	u->indexed = true;
	x->d = d;
	x->u = u;
	x->around[0] = UINT32_MAX;
	if (dwunits_entries(d, u, err) &&
	    dwarf_cu_info(
		u->entries, NULL, NULL, &root, NULL, NULL, NULL, NULL) == 0) {
		xalloc_check();
		x->is_c = is_c(dwarf_srclang(&root));
		x->end = unit_end(&root, u->entries != u->cu, err);
		if (x->end != NULL && dwarf_child(&root, &x->die) == 0)
			walk(x, err);
	}
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
		index_unit(d, u, err);
	return u;
}

/* Lookups --------------------------------------------------------------- */

/* What one entry says of its function's name. */
struct named {
	const char *linkage, *name;
	Dwarf_Attribute
	    origin; /* another entry of the function; form 0: none */
};

static int
take_name(Dwarf_Attribute *at, void *arg)
{
	struct named *n = arg;

	switch (dwarf_whatattr(at)) {
	case DW_AT_linkage_name:
	case DW_AT_MIPS_linkage_name:
		n->linkage = dwarf_formstring(at);
		break;
	case DW_AT_name:
		n->name = dwarf_formstring(at);
		break;
	case DW_AT_abstract_origin:
	case DW_AT_specification:
		n->origin = *at;
		break;
	default:
		break;
	}
	return DWARF_CB_OK;
}

/* The name of an entry's function: that of the linker, or else its own. */
const char *
dwindex_name(Dwarf_CU *cu, void *entry)
{
	Dwarf_Die die = {.addr = entry, .cu = cu};
	const char *name = "";

	for (int i = 0; i < ORIGINS_MAX; i++) {
		struct named n = {0};

		dwarf_getattrs(&die, take_name, &n, 0);
		if (n.linkage != NULL && *n.linkage != 0)
			return n.linkage;
		if (*name == 0 && n.name != NULL)
			name = n.name;
		if (n.origin.form == 0 ||
		    dwarf_formref_die(&n.origin, &die) == NULL)
			break;
	}
	return name;
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

/*
 * Reads what an inlined call's entry says, once: most are asked for often.
 * `around`: the function in which it is. GCC splits a function and inlines the
 * part in it again: such a function does not call itself.
 */
static void
read_call(
    struct dwarf *d, struct dwunit *u, struct dwitem *it, const char *around)
{
	void *entry = it->entry;
	size_t len;

	it->name = dwindex_name(u->entries, entry);
	len = strnlen(it->name, NAME_LEN_MAX);
	if (strncmp(around, it->name, len) == 0 &&
	    (around[len] == 0 || around[len] == '.') &&
	    dwlines_at_decl(u->entries, entry))
		it->kind = DWITEM_PART;
	it->from.file = it->from.line = 0;
	if (d->lines)
		dwlines_from(u->entries, entry, &it->from.file, &it->from.line);
}

size_t
dwarf_calls(struct dwarf *d, uint64_t addr, const char *func,
    struct dwarf_call *calls, size_t max, struct buf *err)
{
	struct dwunit *u = dwarf_unit(d, addr, err);
	size_t n = 0, left = 0;

	if (u == NULL)
		return 0;
	for (uint32_t i = segs_find(&u->segs, addr); i < u->n && n < max;
	     i = u->item[i].parent)
		calls[n++].item = &u->item[i];
	for (size_t i = n; i > 0; i--)
		if (calls[i - 1].item->name == NULL)
			read_call(d, u, calls[i - 1].item,
			    i < n ? calls[i].item->name : func);
	for (size_t i = 0; i < n; i++) {
		struct dwitem *it = calls[i].item;
		struct dwarf_call *c = &calls[left];

		if (it->kind == DWITEM_PART)
			continue;
		*c = (struct dwarf_call){.name = it->name,
		    .name_len = (uint32_t)strnlen(it->name, NAME_LEN_MAX)};
		if (d->lines)
			dwlines_pos(
			    d, u, it->from.file, it->from.line, &c->from, err);
		left++;
	}
	return left;
}
