/* SPDX-License-Identifier: ISC */
/*
 * libdw runs the line program of a whole unit, and joins directory and name for
 * each file in it: a hostile 100 kB would become gigabytes. So the size of the
 * result is estimated first.
 */

#include <stdio.h>
#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/version.h>
#include <libelf.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "elf/dwarf.h"
#include "elf/elffile.h"

struct dwlines {
	Dwarf_Die cu;
	Dwarf_Files *files;	/* of the line program ... */
	Dwarf_Files *own_files; /* ... and those that entries name */
	bool split_read;
	const char *dir; /* the compiler's folder; left out of paths */
	size_t dir_len;
};

enum {
	TEXT_MIN = 32 << 20, /* bytes of paths that any file may have */
	TEXT_FACTOR = 64,    /* and for each byte of .debug_line */
	PATH_LEN_MAX = 4096,
	NAME_LEN_MAX = 16 << 10, /* bytes of a name that count */
	FILE_BYTES = 5		 /* the least that a file takes in version 4 */
};

/* Bytes that may end anywhere; p is NULL after a read beyond the end. */
struct bytes {
	const unsigned char *p, *end;
	bool big;
};

static uint64_t
take(struct bytes *b, uint64_t size)
{
	uint64_t n = 0;

	if (b->p == NULL || size > (size_t)(b->end - b->p)) {
		b->p = NULL;
		return 0;
	}
	if (size <= 8)
		n = uint_load(b->p, size, b->big);
	b->p += size;
	return n;
}

static uint64_t
take_uleb(struct bytes *b)
{
	uint64_t n = 0, byte;

	for (unsigned shift = 0; shift < 64; shift += 7) {
		byte = take(b, 1);
		n |= (byte & 0x7f) << shift;
		if (byte < 0x80)
			break;
	}
	return n;
}

/* The length of the longest text in the bytes. */
static size_t
longest(struct bytes b)
{
	size_t max = 0;

	while (b.p < b.end) {
		const unsigned char *nul =
		    memchr(b.p, 0, (size_t)(b.end - b.p));

		if (nul == NULL)
			nul = b.end;
		if ((size_t)(nul - b.p) > max)
			max = (size_t)(nul - b.p);
		b.p = nul + 1;
	}
	return max;
}

static struct bytes
section_bytes(Dwarf *dw, const char *name, const char *suffix)
{
	struct buf err = BUF_INIT;
	struct elf_section sec;
	char full[32];
	struct bytes b = {NULL, NULL, false};
	const char *ident;

	snprintf(full, sizeof full, "%s%s", name, suffix);
	if (elf_find_section(dwarf_getelf(dw), full, &sec, &err) == 0 &&
	    sec.len > 0)
		b = (struct bytes){sec.data, sec.data + sec.len, false};
	ident = elf_getident(dwarf_getelf(dw), NULL);
	b.big = ident != NULL && ident[EI_DATA] == ELFDATA2MSB;
	buf_done(&err);
	return b;
}

/*
 * The number of files in the tables of version 5, which have their texts in
 * place or in .debug_line_str, as all compilers write them; else UINT32_MAX.
 */
static uint64_t
count_files(struct bytes b, unsigned offset_size)
{
	uint64_t columns = take(&b, 1), form, n;

	if (columns != 1 || take_uleb(&b) != DW_LNCT_path)
		return UINT32_MAX;
	form = take_uleb(&b);
	n = take_uleb(&b);
	if (form == DW_FORM_line_strp && n <= UINT32_MAX)
		take(&b, n * offset_size);
	else if (form != DW_FORM_string)
		return UINT32_MAX;
	for (; form == DW_FORM_string && n > 0 && b.p != NULL; n--)
		take(&b, strnlen((const char *)b.p, (size_t)(b.end - b.p)) + 1);
	columns = take(&b, 1);
	for (; columns > 0; columns--) {
		const bool path = take_uleb(&b) == DW_LNCT_path;

		form = take_uleb(&b);
		if (path && form != DW_FORM_string && form != DW_FORM_line_strp)
			return UINT32_MAX;
	}
	n = take_uleb(&b);
	return b.p == NULL ? UINT32_MAX : n;
}

/*
 * Whether libdw may read the program at an offset: its bytes and at most those
 * of the paths that it will make are taken from what is left.
 */
static bool
allowed(struct dwarf *d, struct bytes b, uint64_t offset, size_t dir_len)
{
	unsigned offset_size = 4, version;
	uint64_t len, files, text;
	struct bytes head;

	take(&b, offset);
	len = take(&b, 4);
	if (len == UINT32_MAX) {
		offset_size = 8;
		len = take(&b, 8);
	}
	if (b.p == NULL || len > (size_t)(b.end - b.p) || len > d->line_bytes)
		return false;
	d->line_bytes -= len;
	b.end = b.p + len;
	version = (unsigned)take(&b, 2);
	take(&b, version >= 5 ? 2 : 0); /* sizes of addresses and selectors */
	len = take(&b, offset_size);	/* of the head from here */
	if (b.p == NULL || len > (size_t)(b.end - b.p))
		return false;
	head = (struct bytes){b.p, b.p + len, b.big};
	text = longest(head) + d->line_longest + dir_len;
	take(&head, version >= 4 ? 5 : 4);
	take(&head, take(&head, 1) - 1); /* arguments of opcodes */
	files = version >= 5 ? count_files(head, offset_size)
			     : (uint64_t)(b.end - b.p) / FILE_BYTES;
	if (files > UINT32_MAX || 2 * text * files > d->line_texts)
		return false;
	d->line_texts -= 2 * text * files;
	return true;
}

/* Allows as much more as a file's section explains; false without one. */
static bool
add_section(struct dwarf *d, Dwarf *dw, const char *suffix, struct bytes *b)
{
	size_t n;

	*b = section_bytes(dw, ".debug_line", suffix);
	if (b->p == NULL)
		return false;
	if (d->line_dw == dw)
		return true; /* the units of a package share it */
	d->line_dw = dw;
	d->line_bytes += (uint64_t)(b->end - b->p);
	d->line_texts += TEXT_FACTOR * (uint64_t)(b->end - b->p);
	n = longest(section_bytes(dw, ".debug_line_str", suffix));
	if (n > d->line_longest)
		d->line_longest = n;
	return true;
}

/* The files of a split unit, where they are not those of the file's unit. */
static Dwarf_Files *
split_files(struct dwarf *d, const struct dwunit *u)
{
	Dwarf_Files *files;
	Dwarf_Off offset = 0;
	struct bytes b;
	Dwarf_Die die;
	size_t n;

#if _ELFUTILS_PREREQ(0, 191)
	if (dwarf_cu_dwp_section_info(u->cu, DW_SECT_LINE, &offset, NULL) != 0)
		return NULL;
#endif
	if (add_section(d, u->dw, ".dwo", &b) && allowed(d, b, offset, 0) &&
	    dwarf_offdie(u->dw, u->dw_die, &die) &&
	    dwarf_getsrcfiles(&die, &files, &n) == 0)
		return files;
	return NULL;
}

static struct dwlines *
read_lines(struct dwarf *d, const struct dwunit *u, struct buf *err)
{
	struct dwlines l = {.split_read = false};
	Dwarf_Attribute at;
	Dwarf_Word offset;
	Dwarf_Lines *lines;
	struct bytes b;
	size_t n;

	if (dwarf_offdie(d->dw, u->die, &l.cu) == NULL ||
	    dwarf_formudata(dwarf_attr(&l.cu, DW_AT_stmt_list, &at), &offset) !=
		0)
		return NULL;
	l.dir = dwarf_formstring(dwarf_attr(&l.cu, DW_AT_comp_dir, &at));
	l.dir_len = l.dir != NULL ? strlen(l.dir) : 0;
	if (d->line_texts == 0 && add_section(d, d->dw, "", &b))
		d->line_texts += TEXT_MIN;
	b = section_bytes(d->dw, ".debug_line", "");
	if (!allowed(d, b, offset, l.dir_len) ||
	    dwarf_getsrclines(&l.cu, &lines, &n) != 0 ||
	    dwarf_getsrcfiles(&l.cu, &l.files, &n) != 0) {
		dw_damage(err, "damaged lines of a unit", u->start);
		return NULL;
	}
	l.own_files = l.files;
	return memcpy(xmalloc(sizeof l), &l, sizeof l);
}

/* The lines of a unit, read when first asked for; NULL when it has none. */
static struct dwlines *
lines_of(struct dwarf *d, struct dwunit *u, struct buf *err)
{
	if (!u->lines_read && d->lines) {
		u->lines_read = true;
		u->lines = read_lines(d, u, err);
	}
	return u->lines;
}

static bool
set_pos(const struct dwlines *l, const char *path, uint32_t line,
    struct dwarf_pos *pos)
{
	if (path == NULL || line == 0 || strcmp(path, "???") == 0)
		return false;
	if (l->dir_len > 0 && strncmp(path, l->dir, l->dir_len) == 0 &&
	    path[l->dir_len] == '/')
		path += l->dir_len + 1;
	pos->file = path;
	pos->file_len = (uint32_t)strnlen(path, PATH_LEN_MAX);
	pos->line = line;
	return true;
}

/* A position by the number that the unit's entries have for its file. */
static void
find_file(struct dwarf *d, struct dwunit *u, uint32_t file, uint32_t line,
    struct dwarf_pos *pos, struct buf *err)
{
	struct dwlines *l = lines_of(d, u, err);

	if (l == NULL)
		return;
	if (u->dw != d->dw && !l->split_read) {
		Dwarf_Files *files = split_files(d, u);

		l->split_read = true;
		if (files != NULL)
			l->own_files = files;
	}
	set_pos(l, dwarf_filesrc(l->own_files, file, NULL, NULL), line, pos);
}

size_t
dwarf_calls(struct dwarf *d, uint64_t addr, struct dwarf_call *calls,
    size_t max, struct buf *err)
{
	struct dwunit *u = dwarf_unit(d, addr, err);
	uint32_t i;
	size_t n = 0;

	if (u == NULL)
		return 0;
	i = segs_find(&u->segs, addr);
	while (i < u->n_inlined && n < max) {
		struct inlined *in = &u->inlined[i];
		struct dwarf_call *call = &calls[n++];

		if (in->name == NULL) {
			in->name = dwindex_name(u->cu, in->entry);
			in->name_len =
			    (uint32_t)strnlen(in->name, NAME_LEN_MAX);
		}
		*call = (struct dwarf_call){in->name, in->name_len, {0}};
		find_file(d, u, in->file, in->line, &call->from, err);
		i = in->parent;
	}
	return n;
}

bool
dwarf_line(
    struct dwarf *d, uint64_t addr, struct dwarf_pos *pos, struct buf *err)
{
	struct dwunit *u = d->lines ? dwunits_at(d, addr) : NULL;
	struct dwlines *l = u != NULL ? lines_of(d, u, err) : NULL;
	Dwarf_Line *line;
	int n = 0;

	*pos = (struct dwarf_pos){NULL, 0, 0};
	if (l == NULL)
		return false;
	line = dwarf_getsrc_die(&l->cu, addr);
	if (dwarf_lineno(line, &n) != 0 || n < 0)
		return false;
	return set_pos(l, dwarf_linesrc(line, NULL, NULL), (uint32_t)n, pos);
}
