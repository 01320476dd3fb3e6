/* SPDX-License-Identifier: ISC */
/*
 * libdw runs the line program of a whole unit, and joins directory and name for
 * each file in it: a hostile 100 kB would become gigabytes. So the size of the
 * result is estimated first.
 */

#include "elf/dwlines.h"

#include <string.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/version.h>
#include <libelf.h>

#include "base/buf.h"
#include "base/num.h"
#include "elf/dwunits.h"
#include "elf/dwarf.h"
#include "elffile/elffile.h"

enum {
	PATH_LEN_MAX = 4096,
	FILE_BYTES = 5, /* the least that a file takes in the program */
	ROW_BYTES = 64, /* of memory for each byte of a program */
	HEAD_BYTES = 24 /* a longer beginning than those that are read here */
};

/* The compiler's folder, "" if unknown; left out of paths. */
static const char *
dir_of(Dwarf_Die *root)
{
	Dwarf_Attribute at;
	const char *dir =
	    dwarf_formstring(dwarf_attr(root, DW_AT_comp_dir, &at));

	return dir != NULL ? dir : "";
}

/* The length of the longest text in the bytes. */
static size_t
longest(const unsigned char *p, size_t len)
{
	size_t max = 0;

	while (len > 0) {
		const size_t n = strnlen((const char *)p, len);

		if (n == len)
			return n > max ? n : max;
		max = n > max ? n : max;
		p += n + 1;
		len -= n + 1;
	}
	return max;
}

/*
 * The most bytes that libdw takes for the line program at an offset: its rows,
 * and a path for each file of a folder's name, a file's, and `text` bytes.
 * UINT64_MAX if it is damaged.
 */
static uint64_t
estimate(const struct elf_section *s, uint64_t offset, uint64_t text, bool big)
{
	const size_t left = offset < s->len ? s->len - offset : 0;
	const unsigned char *p;
	size_t size = 4, at = 4;
	uint64_t len, head;

	if (left < HEAD_BYTES)
		return UINT64_MAX;
	p = s->data + offset;
	len = uint_load(p, 4, big);
	if (len == UINT32_MAX) {
		size = 8;
		at = 12;
		len = uint_load(p + 4, 8, big);
	}
	if (len > left - at)
		return UINT64_MAX;
	/* after the version, 5 has the sizes of addresses and selectors */
	at += uint_load(p + at, 2, big) >= 5 ? 4 : 2;
	head = uint_load(p + at, size, big);
	at += size;
	if (head > left - at)
		return UINT64_MAX;
	text += longest(p + at, head);
	return len * ROW_BYTES + len / FILE_BYTES * 2 * text;
}

/* The length of the longest text that the programs of a file share. */
static uint64_t
shared_text(struct dwarf *d, Elf *elf, bool split)
{
	struct elf_section s;
	struct buf err = BUF_INIT;
	uint64_t n = 0;

	if (!split && d->line_text > 0)
		return d->line_text;
	if (elf_find_section(elf,
		split ? ".debug_line_str.dwo" : ".debug_line_str", &s,
		&err) == 0)
		n = longest(s.data, s.len);
	buf_done(&err);
	if (!split)
		d->line_text = n + 1;
	return n + 1;
}

/* Whether libdw may read the line program of a unit, whose root is given. */
static bool
may_read(struct dwarf *d, Dwarf_Die *root, bool split, uint64_t offset)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(root->cu));
	const char *ident = elf_getident(elf, NULL);
	struct elf_section s;
	struct buf err = BUF_INIT;
	const int status = elf_find_section(
	    elf, split ? ".debug_line.dwo" : ".debug_line", &s, &err);
	uint64_t bytes = UINT64_MAX;

	buf_done(&err);
	if (status > 0)
		return split; /* it has the files of its skeleton */
	if (status == 0)
		bytes = estimate(&s, offset,
		    strlen(dir_of(root)) + shared_text(d, elf, split),
		    ident != NULL && ident[EI_DATA] == ELFDATA2MSB);
	return bytes < d->bytes && dwunits_spend(d, bytes);
}

/* Reads the lines of a unit when first asked; false when it has none. */
static bool
read_lines(struct dwarf *d, struct dwunit *u, Dwarf_Die *root, struct buf *err)
{
	Dwarf_Attribute at;
	Dwarf_Word offset;
	Dwarf_Lines *lines;
	size_t n;

	dwarf_cu_info(u->cu, NULL, NULL, root, NULL, NULL, NULL, NULL);
	if (u->lines_read || !d->lines)
		return u->has_lines;
	u->lines_read = true;
	if (dwarf_formudata(dwarf_attr(root, DW_AT_stmt_list, &at), &offset) !=
	    0)
		return false;
	u->has_lines = may_read(d, root, false, offset) &&
		       dwarf_getsrclines(root, &lines, &n) == 0;
	if (!u->has_lines)
		dw_damage(err,
		    "the line numbers of a unit are damaged, or too many",
		    dwarf_dieoffset(root) - dwarf_cuoffset(root));
	return u->has_lines;
}

/* Reads the files that entries number. */
static bool
read_files(struct dwarf *d, struct dwunit *u, Dwarf_Die *root)
{
	Dwarf_Off offset = 0;

	if (u->entries == u->cu)
		return true;
	dwarf_cu_info(u->entries, NULL, NULL, root, NULL, NULL, NULL, NULL);
	if (u->files_read)
		return u->has_files;
	u->files_read = true;
#if _ELFUTILS_PREREQ(0, 191)
	if (dwarf_cu_dwp_section_info(
		u->entries, DW_SECT_LINE, &offset, NULL) != 0)
		return false;
#endif
	u->has_files = may_read(d, root, true, offset);
	return u->has_files;
}

static bool
set_pos(struct dwunit *u, Dwarf_Die *root, const char *path, uint64_t line,
    struct dwarf_pos *pos)
{
	const char *dir = u->dir = u->dir ? u->dir : dir_of(root);
	const size_t len = strlen(dir);

	if (path == NULL || line == 0 || line > UINT32_MAX ||
	    strcmp(path, "???") == 0)
		return false;
	if (len > 0 && strncmp(path, dir, len) == 0 && path[len] == '/')
		path += len + 1;
	*pos = (struct dwarf_pos){
	    path, (uint32_t)strnlen(path, PATH_LEN_MAX), (uint32_t)line};
	return true;
}

void
dwlines_pos(struct dwarf *d, struct dwunit *u, uint64_t file, uint64_t line,
    struct dwarf_pos *pos, struct buf *err)
{
	Dwarf_Files *files;
	Dwarf_Die unit, root;
	size_t n;

	if (!read_lines(d, u, &unit, err))
		return;
	root = unit;
	if (read_files(d, u, &root) &&
	    dwarf_getsrcfiles(&root, &files, &n) == 0)
		set_pos(u, &unit, dwarf_filesrc(files, file, NULL, NULL), line,
		    pos);
}

bool
dwarf_line(
    struct dwarf *d, uint64_t addr, struct dwarf_pos *pos, struct buf *err)
{
	struct dwunit *u = d->lines ? dwunits_at(d, addr) : NULL;
	Dwarf_Line *line;
	Dwarf_Die root;
	int n = 0;

	*pos = (struct dwarf_pos){NULL, 0, 0};
	if (u == NULL || !read_lines(d, u, &root, err))
		return false;
	line = dwarf_getsrc_die(&root, addr);
	if (dwarf_lineno(line, &n) != 0 || n < 0)
		return false;
	return set_pos(
	    u, &root, dwarf_linesrc(line, NULL, NULL), (uint64_t)n, pos);
}

/* The rows of a unit. */
static void
give_rows(const char *dir, Dwarf_Lines *lines, size_t n,
    void (*row)(void *ctx, const struct elfsym_row *r), void *ctx)
{
	for (size_t i = 0; i + 1 < n; i++) {
		Dwarf_Line *line = dwarf_onesrcline(lines, i);
		struct elfsym_row r = {.dir = dir};
		Dwarf_Addr start, end;
		bool last = true;
		int at = 0;

		if (dwarf_lineendsequence(line, &last) != 0 || last ||
		    dwarf_lineaddr(line, &start) != 0 ||
		    dwarf_lineaddr(dwarf_onesrcline(lines, i + 1), &end) != 0 ||
		    end <= start || dwarf_lineno(line, &at) != 0 || at <= 0)
			continue;
		r.file = dwarf_linesrc(line, NULL, NULL);
		if (r.file == NULL || strcmp(r.file, "???") == 0)
			continue;
		r.start = start;
		r.end = end;
		r.file_len = (uint32_t)strnlen(r.file, PATH_LEN_MAX);
		r.line = (uint32_t)at;
		row(ctx, &r);
	}
}

void
dwarf_rows(struct dwarf *d, void (*row)(void *ctx, const struct elfsym_row *r),
    void *ctx, struct buf *err)
{
	Dwarf_Lines *lines;
	Dwarf_Die root;
	size_t n;

	for (size_t i = 0; i < d->n; i++)
		if (read_lines(d, &d->v[i], &root, err) &&
		    dwarf_getsrclines(&root, &lines, &n) == 0)
			give_rows(dir_of(&root), lines, n, row, ctx);
}

/* A number that an entry has; 0 when it has none. */
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

void
dwlines_from(Dwarf_CU *cu, void *entry, uint32_t *file, uint32_t *line)
{
	Dwarf_Die call = {.addr = entry, .cu = cu};

	*file = number_of(&call, DW_AT_call_file);
	*line = number_of(&call, DW_AT_call_line);
}

bool
dwlines_at_decl(Dwarf_CU *cu, void *entry)
{
	Dwarf_Die call = {.addr = entry, .cu = cu}, of;
	Dwarf_Attribute at;
	uint32_t file, line;

	dwlines_from(cu, entry, &file, &line);
	return line > 0 &&
	       dwarf_formref_die(dwarf_attr(&call, DW_AT_abstract_origin, &at),
		   &of) != NULL &&
	       of.cu == cu && number_of(&of, DW_AT_decl_file) == file &&
	       number_of(&of, DW_AT_decl_line) == line &&
	       number_of(&of, DW_AT_decl_column) ==
		   number_of(&call, DW_AT_call_column);
}
