/* SPDX-License-Identifier: ISC */
/* What stands in the sections of an ELF file: bytes, strings and symbols. */
#include "elf/elfscn.h"

#include <string.h>

#include <gelf.h>
#include <libelf.h>

#include "base/buf.h"

enum { RATIO_MAX = 64 }; /* of compression; debug data has 3 to 10 */

struct elf_strings
elf_strings_of(Elf *elf, size_t section)
{
	Elf_Scn *scn = section != 0 ? elf_getscn(elf, section) : NULL;
	Elf_Data *d = scn != NULL ? elf_rawdata(scn, NULL) : NULL;
	const char *end;

	if (d == NULL || d->d_buf == NULL)
		return (struct elf_strings){NULL, 0};
	end = memrchr(d->d_buf, 0, d->d_size);
	if (end == NULL)
		return (struct elf_strings){NULL, 0};
	return (struct elf_strings){
	    d->d_buf, (size_t)(end - (char *)d->d_buf) + 1};
}

/* elf_strptr() would look for the last NUL each time. */
static const char *
elf_string_at(const struct elf_strings *s, size_t off)
{
	return off < s->len ? s->p + off : NULL;
}

/* Makes the section's data the plain bytes, within limits. */
static int
decompress(Elf_Scn *scn, const GElf_Shdr *sh, bool old, struct buf *err)
{
	GElf_Chdr ch;
	int status;

	if (old) {
		/* .zdebug_*: "ZLIB" and the size, 8 bytes, big endian */
		Elf_Data *d = elf_rawdata(scn, NULL);
		const unsigned char *p = d != NULL ? d->d_buf : NULL;

		ch.ch_size = 0;
		for (int i = 4; p != NULL && d->d_size >= 12 && i < 12; i++)
			ch.ch_size = ch.ch_size << 8 | p[i];
	} else if (gelf_getchdr(scn, &ch) == NULL) {
		buf_adds(err, "damaged compression header");
		return -1;
	}
	if (ch.ch_size / RATIO_MAX > sh->sh_size + 1024) {
		buf_adds(err, "absurd size of a compressed section");
		return -1;
	}
	status = old ? elf_compress_gnu(scn, 0, 0) : elf_compress(scn, 0, 0);
	if (status < 0) {
		buf_adds(err, "a section that cannot be decompressed");
		return -1;
	}
	return 0;
}

static int
section_bytes(Elf_Scn *scn, GElf_Shdr *sh, bool old, struct elf_section *out,
    struct buf *err)
{
	Elf_Data *d;

	*out = (struct elf_section){.addr = sh->sh_addr, .size = sh->sh_size};
	if (sh->sh_type == SHT_NOBITS)
		return 0;
	if ((old || (sh->sh_flags & SHF_COMPRESSED)) &&
	    decompress(scn, sh, old, err) != 0)
		return -1;
	d = elf_rawdata(scn, NULL);
	if (d == NULL || (d->d_buf == NULL && d->d_size > 0)) {
		buf_adds(err, "section outside of the file");
		return -1;
	}
	out->data = d->d_buf;
	out->len = d->d_size;
	return 0;
}

int
elffile_section(struct elffile *f, const char *name, struct elf_section *out,
    struct buf *err)
{
	GElf_Shdr sh;

	for (size_t i = 1; i < f->n_sections; i++) {
		Elf_Scn *scn = elf_getscn(f->elf, i);
		const char *s;
		bool old;

		if (scn == NULL || gelf_getshdr(scn, &sh) == NULL)
			continue;
		s = elf_string_at(&f->section_names, sh.sh_name);
		if (s == NULL)
			continue;
		old = strncmp(s, ".zdebug_", 8) == 0 && name[0] == '.' &&
		      strcmp(s + 2, name + 1) == 0;
		if (old || strcmp(s, name) == 0)
			return section_bytes(scn, &sh, old, out, err);
	}
	return 1;
}

/* Marks of the assembler are no labels: $a, $d.12, $x and .Lname. */
static bool
is_mark(const char *name)
{
	if (name[0] == '$')
		return name[1] != 0 && strchr("adtx", name[1]) != NULL &&
		       (name[2] == 0 || name[2] == '.' || name[1] == 'x');
	return name[0] == '.' && name[1] == 'L';
}

/* Turns a table's entry into *sym; false when it is none of ours. */
static bool
take_symbol(const struct elffile *f, const GElf_Sym *in, struct elf_symbol *sym)
{
	const int type = GELF_ST_TYPE(in->st_info);
	const int bind = GELF_ST_BIND(in->st_info);

	if (in->st_shndx == SHN_UNDEF || in->st_shndx == SHN_ABS ||
	    in->st_shndx == SHN_COMMON)
		return false;
	sym->func = type == STT_FUNC || type == STT_GNU_IFUNC;
	if (!sym->func && type != STT_NOTYPE)
		return false;
	sym->addr = in->st_value;
	sym->size = in->st_size;
	if (f->is_arm && sym->func)
		sym->addr &= ~(uint64_t)1; /* the Thumb bit */
	sym->binding = bind == STB_GLOBAL ? 0 : bind == STB_WEAK ? 1 : 2;
	return elffile_code_end(f, sym->addr) != sym->addr;
}

static int
symbols_of(struct elffile *f, Elf_Scn *scn, const GElf_Shdr *sh,
    void (*fn)(const struct elf_symbol *sym, void *arg), void *arg,
    struct buf *err)
{
	Elf_Data *d = elf_getdata(scn, NULL);
	const struct elf_strings names = elf_strings_of(f->elf, sh->sh_link);
	struct elf_symbol sym;
	GElf_Sym gs;
	size_t n, bad = 0;

	if (d == NULL || d->d_buf == NULL) {
		buf_adds(err, "symbol table outside of the file");
		return -1;
	}
	n = d->d_size / gelf_fsize(f->elf, ELF_T_SYM, 1, EV_CURRENT);
	for (size_t i = 1; i < n && i < INT32_MAX; i++) {
		if (gelf_getsym(d, (int)i, &gs) == NULL)
			break;
		if (!take_symbol(f, &gs, &sym))
			continue;
		sym.name = elf_string_at(&names, gs.st_name);
		if (sym.name == NULL)
			bad++;
		else if (sym.name[0] != 0 && !is_mark(sym.name))
			fn(&sym, arg);
	}
	if (bad == 0)
		return 0;
	buf_printf(err, "%zu symbols have no readable name", bad);
	return -1;
}

int
elffile_symbols(struct elffile *f,
    void (*fn)(const struct elf_symbol *sym, void *arg), void *arg,
    struct buf *err)
{
	static const uint32_t kinds[] = {SHT_SYMTAB, SHT_DYNSYM};
	GElf_Shdr sh;

	for (size_t k = 0; k < 2; k++) {
		for (size_t i = 1; i < f->n_sections; i++) {
			Elf_Scn *scn = elf_getscn(f->elf, i);

			if (scn != NULL && gelf_getshdr(scn, &sh) != NULL &&
			    sh.sh_type == kinds[k])
				return symbols_of(f, scn, &sh, fn, arg, err);
		}
	}
	return 0;
}
