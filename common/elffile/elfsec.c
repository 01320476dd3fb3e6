/* SPDX-License-Identifier: ISC */
/*
 * libelf checks sections against the file's size when it reads them; string
 * offsets and decompressed sizes are checked here.
 */
#include "elffile/elffile.h"

#include <stdbool.h>
#include <string.h>

#include <gelf.h>
#include <libelf.h>

#include "base/buf.h"
#include "base/xalloc.h"

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

/* Whether a section is compressed: 1, 0, or -1 when it must not be opened. */
static int
is_compressed(Elf_Scn *scn, const GElf_Shdr *sh, bool old, struct buf *err)
{
	GElf_Chdr ch = {0};

	if (old) {
		/* .zdebug_*: "ZLIB" and the size, 8 bytes, big endian */
		Elf_Data *d = elf_rawdata(scn, NULL);
		const unsigned char *p = d != NULL ? d->d_buf : NULL;

		if (p == NULL || d->d_size < 12 || memcmp(p, "ZLIB", 4) != 0)
			return 0; /* decompressed already */
		for (int i = 4; i < 12; i++)
			ch.ch_size = ch.ch_size << 8 | p[i];
	} else if (!(sh->sh_flags & SHF_COMPRESSED)) {
		return 0;
	} else if (gelf_getchdr(scn, &ch) == NULL) {
		buf_adds(err, "damaged compression header");
		return -1;
	}
	if (ch.ch_size / RATIO_MAX <= sh->sh_size + 1024)
		return 1;
	buf_adds(err, "a compressed section has an impossible size");
	return -1;
}

static int
decompress(Elf_Scn *scn, bool old)
{
	return old ? elf_compress_gnu(scn, 0, 0) : elf_compress(scn, 0, 0);
}

static int
section_bytes(Elf_Scn *scn, const GElf_Shdr *sh, bool old,
    struct elf_section *out, struct buf *err)
{
	Elf_Data *d;
	int status;

	*out = (struct elf_section){.addr = sh->sh_addr, .size = sh->sh_size};
	if (sh->sh_type == SHT_NOBITS)
		return 0;
	status = is_compressed(scn, sh, old, err);
	if (status > 0)
		status = decompress(scn, old);
	if (status < 0) {
		if (err->len == 0)
			buf_adds(err, "a section cannot be decompressed");
		return -1;
	}
	d = elf_rawdata(scn, NULL);
	if (d == NULL || (d->d_buf == NULL && d->d_size > 0)) {
		buf_adds(err, "a section lies outside the file");
		return -1;
	}
	out->data = d->d_buf;
	out->len = d->d_size;
	return 0;
}

/* Whether a section has the name, or that of its old compressed form. */
static bool
has_name(const char *s, const char *name, bool *old)
{
	*old = strncmp(s, ".zdebug_", 8) == 0 && name[0] == '.' &&
	       strcmp(s + 2, name + 1) == 0;
	return *old || strcmp(s, name) == 0;
}

/* The name of a section, or NULL. */
static const char *
name_of(Elf_Scn *scn, const struct elf_strings *names, GElf_Shdr *sh)
{
	return gelf_getshdr(scn, sh) == NULL
		   ? NULL
		   : elf_string_at(names, sh->sh_name);
}

static struct elf_strings
section_names(Elf *elf)
{
	size_t index;

	return elf_strings_of(
	    elf, elf_getshdrstrndx(elf, &index) == 0 ? index : 0);
}

int
elf_find_section(
    Elf *elf, const char *name, struct elf_section *out, struct buf *err)
{
	const struct elf_strings names = section_names(elf);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	bool old;

	*out = (struct elf_section){0};
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *s = name_of(scn, &names, &sh);

		if (s != NULL && has_name(s, name, &old))
			return section_bytes(scn, &sh, old, out, err);
	}
	return 1;
}

int
elf_check_debug(Elf *elf, struct buf *err)
{
	const struct elf_strings names = section_names(elf);
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	int status;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *s = name_of(scn, &names, &sh);
		const bool old = s != NULL && strncmp(s, ".zdebug_", 8) == 0;

		if (s == NULL || (!old && strncmp(s, ".debug_", 7) != 0))
			continue;
		status = is_compressed(scn, &sh, old, err);
		if (status < 0)
			return -1;
		if (status > 0 && decompress(scn, old) < 0)
			xalloc_check();
	}
	return 0;
}

/* Whether a section has code, and its bytes. */
static bool
has_code(Elf_Scn *scn, const GElf_Shdr *sh, Elf_Data **d)
{
	*d = NULL;
	if ((sh->sh_flags & SHF_EXECINSTR) && sh->sh_type != SHT_NOBITS)
		*d = elf_rawdata(scn, NULL);
	return *d != NULL && (*d)->d_buf != NULL;
}

const unsigned char *
elf_code(Elf *elf, uint64_t addr, size_t *n)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		Elf_Data *d;

		if (gelf_getshdr(scn, &sh) == NULL || addr < sh.sh_addr ||
		    addr - sh.sh_addr >= sh.sh_size ||
		    !has_code(scn, &sh, &d) || addr - sh.sh_addr >= d->d_size)
			continue;
		*n = d->d_size - (size_t)(addr - sh.sh_addr);
		return (unsigned char *)d->d_buf + (addr - sh.sh_addr);
	}
	return NULL;
}

bool
elf_nth_code(Elf *elf, size_t i, struct elf_section *out)
{
	Elf_Scn *scn = NULL;
	Elf_Data *d;
	GElf_Shdr sh;

	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		if (gelf_getshdr(scn, &sh) == NULL || !has_code(scn, &sh, &d) ||
		    i-- > 0)
			continue;
		*out = (struct elf_section){sh.sh_addr,
		    sh.sh_size < d->d_size ? sh.sh_size : d->d_size, d->d_buf,
		    d->d_size};
		return true;
	}
	return false;
}
