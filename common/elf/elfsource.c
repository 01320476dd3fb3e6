/* SPDX-License-Identifier: ISC */
#include "elf/elfsource.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "elf/dwarf.h"
#include "elf/dwindex.h"
#include "elf/dwlines.h"
#include "elf/dwunits.h"
#include "elffile/elffile.h"
#include "elffile/elffuncs.h"

enum { PATH_LEN_MAX = 4096, NAME_LEN_MAX = 16 << 10, ORIGINS_MAX = 16 };

struct teller {
	void (*take)(void *ctx, const struct elfsource *s);
	void *ctx;
	struct elffile *file;
	struct buf damage;
};

static void
tell(struct teller *t, const char *name, const char *file, size_t file_len)
{
	const struct elfsource s = {.name = name,
	    .name_len = strnlen(name, NAME_LEN_MAX),
	    .file = file,
	    .file_len = file_len};

	if (s.name_len > 0 && file_len > 0)
		t->take(t->ctx, &s);
}

/* By DWARF ---------------------------------------------------------------- */

/* The file that a unit was compiled from; its length, 0: unknown. */
static size_t
unit_file(const struct dwunit *u, const char **file)
{
	Dwarf_Attribute at;
	Dwarf_Die root;
	const char *dir;
	size_t n;

	if (dwarf_cu_info(u->cu, NULL, NULL, &root, NULL, NULL, NULL, NULL) !=
	    0)
		return 0;
	*file = dwarf_formstring(dwarf_attr(&root, DW_AT_name, &at));
	dir = dwarf_formstring(dwarf_attr(&root, DW_AT_comp_dir, &at));
	if (*file == NULL)
		return 0;
	n = dir ? strlen(dir) : 0;
	if (n > 0 && strncmp(*file, dir, n) == 0 && (*file)[n] == '/')
		*file += n + 1;
	return strnlen(*file, PATH_LEN_MAX);
}

/* The file where an inlined function is written, if its own unit says so. */
static bool
declared(struct dwarf *d, struct dwunit *u, void *entry, struct dwarf_pos *pos,
    struct buf *err)
{
	Dwarf_Die die = {.addr = entry, .cu = u->entries};
	Dwarf_Attribute at;
	Dwarf_Word file;

	for (int i = 0; i < ORIGINS_MAX; i++) {
		if (die.cu == u->entries &&
		    dwarf_formudata(
			dwarf_attr(&die, DW_AT_decl_file, &at), &file) == 0) {
			*pos = (struct dwarf_pos){0};
			dwlines_pos(d, u, file, 1, pos, err);
			return pos->file != NULL;
		}
		if (dwarf_attr(&die, DW_AT_abstract_origin, &at) == NULL ||
		    dwarf_formref_die(&at, &die) == NULL)
			break;
	}
	return false;
}

/* The calls that are inlined in a unit. */
static void
tell_inlined(struct teller *t, struct dwarf *d, struct dwunit *u,
    const char *file, size_t len)
{
	for (size_t i = 0; i < u->n && dwunits_spend(d, 0); i++) {
		struct dwarf_pos pos;

		if (u->item[i].kind != DWITEM_INLINED)
			continue;
		if (declared(d, u, u->item[i].entry, &pos, &t->damage))
			tell(t, dwindex_name(u->entries, u->item[i].entry),
			    pos.file, pos.file_len);
		else
			tell(t, dwindex_name(u->entries, u->item[i].entry),
			    file, len);
	}
}

static void
tell_dwarf(struct teller *t, struct dwarf *d, const struct elffuncs *funcs)
{
	const char *file = "";
	size_t len;

	for (size_t i = 0; i < funcs->n; i++) {
		const struct dwunit *u = dwunits_at(d, funcs->v[i].addr);

		len = u ? unit_file(u, &file) : 0;
		tell(t, funcs->v[i].name, file, len);
	}
	for (size_t i = 0; i < d->segs.n; i++) {
		struct dwunit *u =
		    dwarf_unit(d, d->segs.v[i].start, &t->damage);

		if (u == NULL)
			continue;
		len = unit_file(u, &file);
		dwunits_start(d);
		tell_inlined(t, d, u, file, len);
		u->n = 0; /* it has several ranges */
	}
}

/* By FILE symbols --------------------------------------------------------- */

struct place {
	uint64_t addr;
	const char *name, *file; /* file NULL: of a global function */
	size_t file_len;
};

struct places {
	struct place *v;
	size_t n, cap;
};

static int
by_address(const void *va, const void *vb)
{
	const struct place *a = va, *b = vb;

	return a->addr < b->addr ? -1 : a->addr > b->addr;
}

/* The functions of the symbol table; after a FILE symbol come its static ones.
 */
static void
find_places(struct places *p, const struct elffile *f, Elf_Scn *scn,
    const GElf_Shdr *sh)
{
	const struct elf_strings names = elf_strings_of(f->elf, sh->sh_link);
	Elf_Data *d = elf_getdata(scn, NULL);
	const char *file = NULL, *name;
	GElf_Sym sym;

	for (int i = 1; d && gelf_getsym(d, i, &sym) != NULL; i++) {
		name = elf_string_at(&names, sym.st_name);
		if (name == NULL)
			continue;
		if (GELF_ST_TYPE(sym.st_info) == STT_FILE)
			file = name;
		else if (GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
			 sym.st_shndx != SHN_UNDEF) {
			struct place *at = xpush(p->v, p->n, p->cap);
			bool local = GELF_ST_BIND(sym.st_info) == STB_LOCAL;

			*at = (struct place){.addr = sym.st_value,
			    .name = name,
			    .file = local ? file : NULL};
			if (at->file)
				at->file_len = strnlen(file, PATH_LEN_MAX);
		}
	}
}

/* Of a global function: what the static ones before and after it agree on. */
static void
tell_places(struct teller *t, const struct places *p)
{
	size_t *next = xreallocn(NULL, p->n + 1, sizeof *next);
	const struct place *before = NULL;

	next[p->n] = p->n;
	for (size_t i = p->n; i-- > 0;)
		next[i] = p->v[i].file ? i : next[i + 1];
	for (size_t i = 0; i < p->n; i++) {
		const struct place *at = &p->v[i], *after = at;

		if (at->file == NULL) {
			if (next[i] == p->n || before == NULL)
				continue;
			after = &p->v[next[i]];
			if (strcmp(before->file, after->file) != 0)
				continue;
		} else {
			before = at;
		}
		tell(t, at->name, after->file, after->file_len);
	}
	free(next);
}

static void
tell_symbols(struct teller *t)
{
	struct places p = {0};
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(t->file->elf, scn)) != NULL)
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == SHT_SYMTAB)
			find_places(&p, t->file, scn, &sh);
	if (p.n > 0) {
		qsort(p.v, p.n, sizeof *p.v, by_address);
		tell_places(t, &p);
	}
	free(p.v);
}

int
elfsource_each(const char *path,
    void (*take)(void *ctx, const struct elfsource *s), void *ctx,
    struct buf *err)
{
	struct teller t = {.take = take, .ctx = ctx, .damage = BUF_INIT};
	struct elffuncs funcs = {0};
	struct dwarf *d;

	t.file = elffile_open(path, true, err);
	if (t.file == NULL)
		return -1;
	d = dwarf_new(t.file, true, false, &t.damage);
	if (d) {
		elffuncs_all(&funcs, t.file, &t.damage);
		tell_dwarf(&t, d, &funcs);
		elffuncs_done(&funcs);
	} else {
		tell_symbols(&t);
	}
	dwarf_free(d);
	elffile_close(t.file);
	buf_done(&t.damage);
	return 0;
}
