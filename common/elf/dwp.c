/* SPDX-License-Identifier: ISC */
/*
 * libdw takes a file's sections whole, but a unit has only parts of a
 * package's. So both files are mapped in a row, after room for an ELF header
 * and section headers for each unit, which name the parts: nothing is copied.
 */
#include "elf/dwarf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "elf/elffile.h"

/* Sections of a unit's file; those with a column in the index come first. */
enum {
	S_INFO,
	S_ABBREV,
	S_LINE,
	S_STR_OFFSETS,
	S_RNGLISTS,
	S_COLUMNS,
	S_STR = S_COLUMNS, /* of the package */
	S_ADDR,		   /* of the file itself */
	S_RANGES,
	S_N
};

static const struct {
	const char *name;
	unsigned column;
} sections[S_N] = {
    [S_INFO] = {".debug_info", DW_SECT_INFO},
    [S_ABBREV] = {".debug_abbrev", DW_SECT_ABBREV},
    [S_LINE] = {".debug_line", DW_SECT_LINE},
    [S_STR_OFFSETS] = {".debug_str_offsets", DW_SECT_STR_OFFSETS},
    [S_RNGLISTS] = {".debug_rnglists", DW_SECT_RNGLISTS}, /* not in GNU's */
    [S_STR] = {".debug_str", 0},
    [S_ADDR] = {".debug_addr", 0},
    [S_RANGES] = {".debug_ranges", 0},
};

enum { NAME_LEN = 24, ROWS_MAX = 1 << 20 };

/* What stands in the room for a unit. */
struct head {
	Elf64_Ehdr ehdr;
	Elf64_Shdr shdr[S_N + 2]; /* the null section, ours, their names */
	char names[S_N + 1][NAME_LEN];
};

struct dwp {
	struct elffile *package;
	unsigned char *map;
	size_t map_len, head_len, file_len; /* file_len: rounded up */
	struct elf_section whole[S_N];	    /* in their files */
	const unsigned char *index;	    /* .debug_cu_index */
	uint32_t version, columns, rows, slots;
	struct dwp_unit *unit; /* by row; dw is NULL until asked for */
	Elf **elf;
};

static uint32_t
get32(const unsigned char *p)
{
	uint32_t n;

	memcpy(&n, p, sizeof n);
	return n;
}

static size_t
round_up(uint64_t n)
{
	return (size_t)(n + 65535) & ~(size_t)65535;
}

/* Opening --------------------------------------------------------------- */

/* Checks that the index is as long as it says. */
static bool
read_index(struct dwp *p, struct buf *err)
{
	struct elf_section s;
	uint64_t need;

	if (elf_find_section(p->package->elf, ".debug_cu_index", &s, err) !=
		0 ||
	    s.len < 16)
		return false;
	p->index = s.data;
	p->version = get32(s.data) & 0xffff;
	p->columns = get32(s.data + 4);
	p->rows = get32(s.data + 8);
	p->slots = get32(s.data + 12);
	if ((p->version != 2 && p->version != 5) || p->columns > 16 ||
	    p->rows > ROWS_MAX || p->slots > 4 * ROWS_MAX || p->slots == 0 ||
	    (p->slots & (p->slots - 1)) != 0)
		return false;
	need = 16 + UINT64_C(12) * p->slots + UINT64_C(4) * p->columns +
	       UINT64_C(8) * p->columns * p->rows;
	return need <= s.len;
}

static bool
find_sections(struct dwp *p, const struct elffile *file, struct buf *err)
{
	for (int i = 0; i < S_N; i++) {
		struct elf_section *s = &p->whole[i];
		const struct elffile *from = i < S_ADDR ? p->package : file;
		char name[NAME_LEN + 4];

		snprintf(name, sizeof name, "%s%s", sections[i].name,
		    i < S_ADDR ? ".dwo" : "");
		if (elf_find_section(from->elf, name, s, err) < 0)
			return false;
		if (s->len > 0 && s->offset == 0)
			return false; /* compressed */
	}
	return true;
}

static bool
map_files(struct dwp *p, const struct elffile *file)
{
	const int fd[2] = {file->fd, p->package->fd};
	struct stat st[2];
	unsigned char *at;

	if (fstat(fd[0], &st[0]) != 0 || fstat(fd[1], &st[1]) != 0)
		return false;
	p->head_len = round_up(p->rows * sizeof(struct head));
	p->file_len = round_up((uint64_t)st[0].st_size);
	p->map_len =
	    p->head_len + p->file_len + round_up((uint64_t)st[1].st_size);
	p->map = mmap(NULL, p->map_len, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p->map == MAP_FAILED) {
		p->map = NULL;
		return false;
	}
	at = p->map + p->head_len;
	for (int i = 0; i < 2; i++) {
		if (mmap(at, (size_t)st[i].st_size, PROT_READ,
			MAP_PRIVATE | MAP_FIXED, fd[i], 0) == MAP_FAILED)
			return false;
		at += p->file_len;
	}
	return true;
}

struct dwp *
dwp_open(const struct elffile *file, struct buf *err)
{
	struct dwp *p = xcalloc(1, sizeof *p);
	char *path = elffile_path(file);
	struct buf name = BUF_INIT, why = BUF_INIT;

	buf_printf(&name, "%s.dwp", path != NULL ? path : "");
	free(path);
	if (path != NULL)
		p->package = elffile_open(buf_str(&name), false, &why);
	buf_done(&why);
	buf_done(&name);
	if (p->package == NULL) {
		free(p);
		return NULL;
	}
	if (file->big_endian == (*(const char *)&(int){1} == 0) &&
	    read_index(p, err) && find_sections(p, file, err) &&
	    map_files(p, file)) {
		p->unit = xcalloc(p->rows, sizeof *p->unit);
		p->elf = xcalloc(p->rows, sizeof *p->elf);
		return p;
	}
	buf_printf(
	    err, "%sits .dwp file cannot be used", err->len > 0 ? "; " : "");
	dwp_close(p);
	return NULL;
}

void
dwp_close(struct dwp *p)
{
	if (p == NULL)
		return;
	for (uint32_t i = 0; p->unit != NULL && i < p->rows; i++) {
		dwarf_end(p->unit[i].dw);
		elf_end(p->elf[i]);
	}
	if (p->map != NULL)
		munmap(p->map, p->map_len);
	elffile_close(p->package);
	free(p->unit);
	free(p->elf);
	free(p);
}

/* Units ----------------------------------------------------------------- */

/* The row of a unit, from 0, or UINT32_MAX; the index is a hash table. */
static uint32_t
row_of(const struct dwp *p, uint64_t id)
{
	const uint32_t mask = p->slots - 1;
	const uint32_t step = ((uint32_t)(id >> 32) & mask) | 1;
	uint32_t slot = (uint32_t)id & mask;

	for (uint32_t i = 0; i < p->slots; i++, slot = (slot + step) & mask) {
		const unsigned char *at = p->index + 16;
		const uint32_t row =
		    get32(at + UINT64_C(8) * p->slots + UINT64_C(4) * slot);
		uint64_t found;

		memcpy(&found, at + UINT64_C(8) * slot, sizeof found);
		if (row == 0 || row > p->rows)
			return UINT32_MAX;
		if (found == id)
			return row - 1;
	}
	return UINT32_MAX;
}

/* The part of a section that a row has; false when it is damaged. */
static bool
part_of(const struct dwp *p, uint32_t row, int section, Elf64_Shdr *sh)
{
	const unsigned char *ids = p->index + 16 + UINT64_C(12) * p->slots;
	const unsigned char *at = ids + UINT64_C(4) * p->columns * (row + 1);
	const struct elf_section *s = &p->whole[section];

	for (uint32_t i = 0; i < p->columns; i++) {
		uint32_t offset, len;

		if (get32(ids + UINT64_C(4) * i) != sections[section].column)
			continue;
		offset = get32(at + UINT64_C(4) * i);
		len = get32(at + UINT64_C(4) * (i + p->columns * p->rows));
		if (offset > s->len || len > s->len - offset)
			return false;
		sh->sh_offset = p->file_len + s->offset + offset;
		sh->sh_size = len;
	}
	return true;
}

/* Writes the headers of a row's file. */
static bool
make_head(struct dwp *p, uint32_t row, const uint64_t base[S_N])
{
	struct head *h = (struct head *)(void *)p->map + row;
	const uint64_t files = p->head_len - row * sizeof *h;

	*h = (struct head){.ehdr = {.e_type = ET_EXEC,
			       .e_version = EV_CURRENT,
			       .e_ehsize = sizeof h->ehdr,
			       .e_shentsize = sizeof *h->shdr,
			       .e_shnum = S_N + 2,
			       .e_shstrndx = S_N + 1,
			       .e_shoff = offsetof(struct head, shdr)}};
	memcpy(h->ehdr.e_ident, p->map + p->head_len, EI_NIDENT);
	h->ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	for (int i = 0; i < S_N; i++) {
		const struct elf_section *s = &p->whole[i];
		Elf64_Shdr *sh = &h->shdr[i + 1];

		sh->sh_type = SHT_PROGBITS;
		sh->sh_name = (Elf64_Word)(i * NAME_LEN);
		strcpy(h->names[i], sections[i].name);
		if (i < S_COLUMNS) {
			if ((i != S_RNGLISTS || p->version == 5) &&
			    !part_of(p, row, i, sh))
				return false;
		} else if (base[i] < s->len) {
			sh->sh_offset = s->offset + base[i] +
					(i < S_ADDR ? p->file_len : 0);
			sh->sh_size = s->len - base[i];
		}
		sh->sh_offset += files;
	}
	h->shdr[S_N + 1] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
	    .sh_offset = offsetof(struct head, names),
	    .sh_name = S_N * NAME_LEN,
	    .sh_size = sizeof h->names};
	return true;
}

_Noreturn void
dwp_out_of_memory(void)
{
	msg_die(EXIT_SYSTEM, "out of memory");
}

void
dwp_check_memory(void)
{
	if (errno == ENOMEM)
		dwp_out_of_memory();
}

static void
open_unit(struct dwp *p, uint32_t row, const uint64_t base[S_N])
{
	const size_t from = row * sizeof(struct head);
	struct dwp_unit *u = &p->unit[row];
	const Elf64_Shdr *lists;
	size_t die;
	Dwarf *dw;

	if (!make_head(p, row, base))
		return;
	p->elf[row] = elf_memory((char *)p->map + from, p->map_len - from);
	dw = dwarf_begin_elf(p->elf[row], DWARF_C_READ, NULL);
	if (dw == NULL)
		return;
	dwarf_new_oom_handler(dw, dwp_out_of_memory);
	if (dwarf_next_unit(dw, 0, &u->end, &die, NULL, NULL, NULL, NULL, NULL,
		NULL) != 0) {
		dwarf_end(dw);
		return;
	}
	u->die = die;
	u->dw = dw;
	if (p->version != 5)
		return;
	lists = &((struct head *)(void *)p->map)[row].shdr[S_RNGLISTS + 1];
	u->lists = p->map + from + lists->sh_offset;
	u->lists_len = lists->sh_size;
}

const struct dwp_unit *
dwp_find(struct dwp *p, uint64_t id, uint64_t addr_base, uint64_t ranges_base)
{
	const uint64_t base[S_N] = {
	    [S_ADDR] = addr_base, [S_RANGES] = ranges_base};
	const uint32_t row = row_of(p, id);

	if (row == UINT32_MAX)
		return NULL;
	if (p->elf[row] == NULL)
		open_unit(p, row, base);
	return p->unit[row].dw != NULL ? &p->unit[row] : NULL;
}

uint64_t
dwp_list(const struct dwp_unit *u, uint64_t index)
{
	const bool wide = u->lists_len >= 4 && get32(u->lists) == UINT32_MAX;
	const uint64_t head = wide ? 20 : 12, size = wide ? 8 : 4;
	uint64_t at = 0;

	if (u->lists_len < head || index >= (u->lists_len - head) / size)
		return 0;
	memcpy(&at, u->lists + head + index * size, size);
	return at < u->lists_len - head ? head + at : 0;
}
