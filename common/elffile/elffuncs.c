/* SPDX-License-Identifier: ISC */
/* Reads a symbol table, and chooses among the symbols of an address. */
#include "elffile/elffuncs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <gelf.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "elffile/elffile.h"
#include "elffile/gotab.h"

enum {
	NAME_MAX_LEN = 16 << 10, /* bytes of a symbol's name that count */
	NAME_CMP = 256		 /* bytes that order aliases */
};

/* Marks of the assembler are not labels: $a, $d.12, $x and .Lname. */
static bool
is_mark(const char *name)
{
	if (name[0] == '$')
		return name[1] != 0 && strchr("adtx", name[1]) != NULL &&
		       (name[2] == 0 || name[2] == '.' || name[1] == 'x');
	return name[0] == '.' && name[1] == 'L';
}

/* Adds a named function, or an untyped label that lies in code. */
static void
add_symbol(struct elffuncs *t, const struct elffile *file, const GElf_Sym *sym,
    const char *name)
{
	const int type = GELF_ST_TYPE(sym->st_info);
	const bool func = type == STT_FUNC || type == STT_GNU_IFUNC;
	struct elffunc *f;

	if (name[0] == 0 || is_mark(name) || t->n >= UINT32_MAX / 2)
		return;
	f = xitem(t->v, t->n, t->cap);
	f->name = name;
	f->rank = t->plain && name[0] == '_' && name[1] != 'Z';
	f->rank = (uint8_t)(f->rank + (func ? 0 : 2));
	f->addr = sym->st_value;
	f->thumb = func && file->is_arm && (f->addr & 1) != 0;
	f->addr -= f->thumb;
	if (elffile_code_end(file, f->addr) == f->addr)
		return;
	f->len = (uint32_t)strnlen(name, NAME_MAX_LEN);
	f->end = f->addr + sym->st_size;
	if (f->end < f->addr)
		f->end = UINT64_MAX;
	t->n++;
}

/* Whether a symbol can name code. */
static bool
is_named(const GElf_Sym *sym)
{
	const int type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_shndx != SHN_ABS &&
	       sym->st_shndx != SHN_COMMON &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC ||
		   type == STT_NOTYPE);
}

static void
read_table(struct elffuncs *t, const struct elffile *file, Elf_Scn *scn,
    const GElf_Shdr *sh, struct buf *err)
{
	Elf *elf = file->elf;
	Elf_Data *d = elf_getdata(scn, NULL);
	const struct elf_strings names = elf_strings_of(elf, sh->sh_link);
	GElf_Sym sym;
	size_t n, bad = 0;

	if (d == NULL || d->d_buf == NULL) {
		buf_adds(err, "the symbol table lies outside the file");
		return;
	}
	n = d->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	for (size_t i = 1; i < n && i < INT32_MAX; i++) {
		const char *name;

		if (gelf_getsym(d, (int)i, &sym) == NULL)
			break;
		if (!is_named(&sym))
			continue;
		name = elf_string_at(&names, sym.st_name);
		if (name != NULL)
			add_symbol(t, file, &sym, name);
		else
			bad++;
	}
	if (bad > 0)
		buf_printf(err, "%zu symbols have no readable name", bad);
}

/* The functions of a Go program that has been stripped. */
static bool
read_go(struct elffuncs *t, const struct elffile *file)
{
	struct gotab go;
	struct gofunc g;

	gotab_read(&go, file->elf);
	for (size_t i = 0; i < go.n; i++) {
		GElf_Sym sym = {.st_info = GELF_ST_INFO(STB_LOCAL, STT_FUNC)};

		if (!gotab_at(&go, i, &g))
			continue;
		sym.st_value = g.addr;
		sym.st_size = g.end - g.addr;
		add_symbol(t, file, &sym, g.name);
	}
	return go.n > 0;
}

/* From .symtab, or Go's own table, or else from .dynsym. */
void
elffuncs_all(struct elffuncs *t, const struct elffile *file, struct buf *err)
{
	static const uint32_t kinds[] = {SHT_SYMTAB, SHT_DYNSYM};
	GElf_Shdr sh;

	for (size_t k = 0; k < 2; k++) {
		Elf_Scn *scn = NULL;

		if (k == 1 && read_go(t, file)) {
			t->local = true;
			return;
		}
		while ((scn = elf_nextscn(file->elf, scn)) != NULL) {
			if (gelf_getshdr(scn, &sh) == NULL ||
			    sh.sh_type != kinds[k])
				continue;
			t->local = k == 0;
			read_table(t, file, scn, &sh, err);
			return;
		}
	}
}

/*
 * By address, the longer first; of aliases the one that gdb would choose, whose
 * name is the greatest: memset and not __pi_memset.
 */
static int
cmp_func(const void *va, const void *vb)
{
	const struct elffunc *a = va, *b = vb;
	int c;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	c = strncmp(b->name, a->name, NAME_CMP);
	if (c != 0)
		return c;
	return (a->name > b->name) - (a->name < b->name);
}

/*
 * Drops aliases that were not chosen, and unsized labels inside of sized
 * functions; cuts the other labels' ends to their section.
 */
static void
choose_functions(struct elffuncs *t, const struct elffile *file)
{
	uint64_t reach = 0; /* the end of sized functions so far */
	size_t n = 0;

	if (t->n > 0)
		qsort(t->v, t->n, sizeof *t->v, cmp_func);
	for (size_t i = 0; i < t->n; i++) {
		struct elffunc f = t->v[i];
		const uint64_t limit = elffile_code_end(file, f.addr);
		const bool sized = f.end > f.addr;

		if (f.end > limit)
			f.end = limit;
		if (n > 0 && t->v[n - 1].addr == f.addr &&
		    t->v[n - 1].end == f.end)
			continue;
		if (!sized && f.addr < reach)
			continue;
		if (sized && f.end > reach)
			reach = f.end;
		t->v[n++] = f;
	}
	t->n = n;
}

static void
index_functions(struct elffuncs *t, const struct elffile *file)
{
	struct seg_range *r = xreallocn(NULL, t->n, sizeof *r);

	for (size_t i = t->n; i-- > 0;) {
		struct elffunc *f = &t->v[i];

		if (f->end == f->addr) {
			f->end = elffile_code_end(file, f->addr);
			if (i + 1 < t->n && t->v[i + 1].addr < f->end)
				f->end = t->v[i + 1].addr;
		}
		r[i] = (struct seg_range){f->addr, f->end, (uint32_t)i};
	}
	segs_build(r, t->n, &t->segs);
	free(r);
}

void
elffuncs_read(
    struct elffuncs *t, struct elffile *f, bool plain, struct buf *err)
{
	t->plain = plain;
	elffuncs_all(t, f, err);
	choose_functions(t, f);
	index_functions(t, f);
}

static int
cmp_name(const void *va, const void *vb)
{
	const struct elffunc *a = va, *b = vb;
	int c = strcmp(a->name, b->name);

	return c != 0 ? c : cmp_func(a, b);
}

void
elffuncs_by_name(struct elffuncs *t, struct elffile *f, struct buf *err)
{
	elffuncs_all(t, f, err);
	if (t->n > 0)
		qsort(t->v, t->n, sizeof *t->v, cmp_name);
}

const struct elffunc *
elffuncs_named(const struct elffuncs *t, const char *name, size_t *n)
{
	size_t low = 0, high = t->n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (strcmp(t->v[mid].name, name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (*n = 0; low + *n < t->n; ++*n)
		if (strcmp(t->v[low + *n].name, name) != 0)
			break;
	return t->v + low;
}

void
elffuncs_done(struct elffuncs *t)
{
	segs_done(&t->segs);
	free(t->v);
}

const struct elffunc *
elffuncs_find(const struct elffuncs *t, uint64_t addr)
{
	const uint32_t id = segs_find(&t->segs, addr);

	return id == SEG_NONE ? NULL : &t->v[id];
}
