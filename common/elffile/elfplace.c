/* SPDX-License-Identifier: ISC */
/*
 * The file is hostile: only so many entries of its DWARF are looked at, and
 * types that name each other in a ring end.
 */
#include "elffile/elfplace.h"

#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "elffile/elffile.h"

enum {
	ENTRIES = 20 << 20, /* that are looked at */
	PEEL = 16,	    /* typedefs and the like of one type */
	DEPTH = 8	    /* of structures without a name */
};

struct elfplaces {
	struct elffile *file;
	Dwarf *dw; /* NULL: none */
	uint32_t left;
	char *last; /* the structure that was found last */
	Dwarf_Die die;
};

/* Words ---------------------------------------------------------------- */

/* The name before `+`, and the number after it. */
static size_t
split(const char *p, size_t len, uint64_t *plus)
{
	const char *sign = memchr(p, '+', len);
	const size_t n = sign != NULL ? (size_t)(sign - p) : len;

	*plus = 0;
	if (sign != NULL && num_address(sign + 1, len - n - 1, plus) != 0)
		return 0;
	return n;
}

bool
elfplace_valid(const char *p, size_t len)
{
	const char *const start = len > 0 && *p == '*' ? p + 1 : p;
	uint64_t v;
	size_t n;

	len -= (size_t)(start - p);
	n = split(start, len, &v);
	if (n == 0 || v >= 1U << 31)
		return false;
	if (*start >= '0' && *start <= '9')
		return start == p && n == len && num_address(start, n, &v) == 0;
	return *start != '.' && start[n - 1] != '.' &&
	       memmem(start, n, "..", 2) == NULL;
}

/* DWARF ----------------------------------------------------------------- */

/* What typedefs, qualifiers and, if asked for, arrays are of. */
static bool
peel(Dwarf_Die *type, bool arrays)
{
	Dwarf_Attribute at;

	for (int i = 0; i < PEEL; i++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_array_type:
			if (!arrays)
				return true;
			break;
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_atomic_type:
			break;
		default:
			return true;
		}
		if (dwarf_formref_die(
			dwarf_attr(type, DW_AT_type, &at), type) == NULL)
			return false;
	}
	return false;
}

static bool
type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute at;

	return dwarf_formref_die(
		   dwarf_attr_integrate(die, DW_AT_type, &at), type) != NULL;
}

static bool
has_name(Dwarf_Die *die, const char *name, size_t n)
{
	const char *its = dwarf_diename(die);

	return its != NULL && bytes_is(name, n, its);
}

/* Of DWARF 2, too, where it is a calculation. */
static bool
member_offset(Dwarf_Die *die, uint64_t *to)
{
	Dwarf_Attribute at;
	Dwarf_Op *op;
	Dwarf_Word v = 0;
	size_t n;

	*to = 0;
	if (dwarf_attr(die, DW_AT_data_member_location, &at) == NULL)
		return true;
	if (dwarf_formudata(&at, &v) != 0) {
		if (dwarf_getlocation(&at, &op, &n) != 0 || n != 1 ||
		    op->atom != DW_OP_plus_uconst)
			return false;
		v = op->number;
	}
	*to = v;
	return true;
}

/* Finds a member, also of structures without a name inside of it. */
static bool
find_member(struct elfplaces *o, Dwarf_Die *in, const char *name, size_t n,
    uint64_t *off, Dwarf_Die *type, int depth)
{
	Dwarf_Die type_in = *in, die;
	uint64_t at;

	if (depth == DEPTH || !peel(&type_in, true) ||
	    dwarf_child(&type_in, &die) != 0)
		return false;
	do {
		if (o->left == 0 || dwarf_tag(&die) != DW_TAG_member)
			continue;
		o->left--;
		if (!member_offset(&die, &at) || !type_of(&die, type))
			continue;
		if (has_name(&die, name, n)) {
			*off += at;
			return true;
		}
		if (dwarf_diename(&die) == NULL) {
			Dwarf_Die inner = *type;
			uint64_t more = *off + at;

			if (find_member(
				o, &inner, name, n, &more, type, depth + 1)) {
				*off = more;
				return true;
			}
		}
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* What a name is of. */
enum kind { STRUCTURE, VARIABLE, CONSTANT };

static bool
is_kind(Dwarf_Die *die, enum kind kind)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_class_type:
	case DW_TAG_typedef:
		return kind == STRUCTURE &&
		       !dwarf_hasattr(die, DW_AT_declaration);
	case DW_TAG_variable:
		return kind == VARIABLE;
	case DW_TAG_enumerator:
		return kind == CONSTANT;
	default:
		return false;
	}
}

/* Among the entries of this one; constants are in those of enumerations. */
static bool
find_in(struct elfplaces *o, Dwarf_Die *in, enum kind kind, const char *name,
    size_t n)
{
	const bool deeper =
	    kind == CONSTANT && dwarf_tag(in) != DW_TAG_enumeration_type;
	Dwarf_Die die;

	if (dwarf_child(in, &die) != 0)
		return false;
	do {
		if (o->left == 0)
			return false;
		o->left--;
		if (is_kind(&die, kind) && has_name(&die, name, n)) {
			o->die = die;
			return true;
		}
		if (deeper && dwarf_tag(&die) == DW_TAG_enumeration_type &&
		    find_in(o, &die, kind, name, n))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

/* In any unit; the entry is o->die. */
static bool
find_entry(struct elfplaces *o, enum kind kind, const char *name, size_t n)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	bool found = false;

	if (o->last != NULL && kind == STRUCTURE && bytes_is(name, n, o->last))
		return true;
	free(o->last);
	o->last = NULL;
	while (!found && o->dw != NULL &&
	       dwarf_get_units(o->dw, cu, &cu, NULL, NULL, &unit, NULL) == 0) {
		xalloc_check();
		found = find_in(o, &unit, kind, name, n);
	}
	if (found && kind == STRUCTURE)
		o->last = xmemdup0(name, n);
	return found;
}

bool
elfplaces_constant(struct elfplaces *o, const char *name, uint64_t *to)
{
	Dwarf_Attribute at;
	Dwarf_Sword v;

	if (!find_entry(o, CONSTANT, name, strlen(name)) ||
	    dwarf_formsdata(dwarf_attr(&o->die, DW_AT_const_value, &at), &v) !=
		0)
		return false;
	*to = (uint64_t)v;
	return true;
}

/* Of an array: how many it has, and how far apart. */
static void
count_elements(Dwarf_Die *type, struct elfplace *to)
{
	Dwarf_Die array = *type, element;
	Dwarf_Word all, one;

	if (!peel(&array, false) || dwarf_tag(&array) != DW_TAG_array_type ||
	    !type_of(&array, &element) ||
	    dwarf_aggregate_size(&array, &all) != 0 ||
	    dwarf_aggregate_size(&element, &one) != 0 || one == 0)
		return;
	to->step = one;
	to->times = all / one;
}

/* From the first name on, through members. */
static bool
follow(struct elfplaces *o, const char *p, size_t len, bool variable,
    struct elfplace *to)
{
	const char *dot = memchr(p, '.', len);
	size_t n = dot != NULL ? (size_t)(dot - p) : len;
	Dwarf_Die type;
	Dwarf_Word size;

	if (!find_entry(o, variable ? VARIABLE : STRUCTURE, p, n))
		return false;
	type = o->die;
	if (variable) {
		if (!type_of(&o->die, &type))
			return false;
		count_elements(&type, to);
	}
	while (n < len) {
		Dwarf_Die in = type;

		p += n + 1;
		len -= n + 1;
		dot = memchr(p, '.', len);
		n = dot != NULL ? (size_t)(dot - p) : len;
		if (!find_member(o, &in, p, n, &to->at, &type, 0))
			return false;
	}
	if (peel(&type, false) && dwarf_aggregate_size(&type, &size) == 0)
		to->size = size;
	return true;
}

/* Symbols --------------------------------------------------------------- */

static bool
find_symbol(
    struct elfplaces *o, const char *name, size_t n, struct elfplace *to)
{
	Elf *elf = o->file->elf;
	Elf_Scn *scn = NULL;
	GElf_Shdr h;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		Elf_Data *d;
		GElf_Sym sym;

		if (gelf_getshdr(scn, &h) == NULL || h.sh_type != SHT_SYMTAB)
			continue;
		d = elf_getdata(scn, NULL);
		xalloc_check();
		for (int i = 0; d != NULL && gelf_getsym(d, i, &sym); i++) {
			const char *its =
			    elf_strptr(elf, h.sh_link, sym.st_name);

			if (its == NULL || !bytes_is(name, n, its) ||
			    sym.st_shndx == SHN_UNDEF)
				continue;
			to->at = sym.st_value;
			to->size = sym.st_size;
			to->moves = true;
			return true;
		}
	}
	return false;
}

/* For libdw, which would end the command with status 1. */
static _Noreturn void
out_of_memory(void)
{
	msg_die(EXIT_SYSTEM, "out of memory");
}

struct elfplaces *
elfplaces_open(const char *path)
{
	struct elfplaces *o = xcalloc(1, sizeof *o);
	struct buf err = BUF_INIT;

	o->left = ENTRIES;
	o->file = elffile_open(path, true, &err);
	if (o->file != NULL && elf_check_debug(o->file->elf, &err) == 0)
		o->dw = dwarf_begin_elf(o->file->elf, DWARF_C_READ, NULL);
	xalloc_check();
	if (o->dw != NULL)
		dwarf_new_oom_handler(o->dw, out_of_memory);
	buf_done(&err);
	return o;
}

void
elfplaces_close(struct elfplaces *o)
{
	if (o->dw != NULL)
		dwarf_end(o->dw);
	if (o->file != NULL)
		elffile_close(o->file);
	free(o->last);
	free(o);
}

bool
elfplaces_find(
    struct elfplaces *o, const char *word, bool address, struct elfplace *to)
{
	uint64_t plus;
	size_t n, first;
	const char *dot;

	*to = (struct elfplace){.through = *word == '*'};
	word += to->through;
	if (*word >= '0' && *word <= '9')
		return num_address(word, strlen(word), &to->at) == 0;
	n = split(word, strlen(word), &plus);
	dot = memchr(word, '.', n);
	first = dot != NULL ? (size_t)(dot - word) : n;
	if (o->file == NULL)
		return false;
	if (address && !find_symbol(o, word, first, to))
		return false;
	if ((!address || first < n) && !follow(o, word, n, address, to))
		return false;
	if (!address && first == n)
		to->at = to->size;
	to->at += plus;
	return true;
}
