/* SPDX-License-Identifier: ISC */
/*
 * An ELF file (32 or 64 bits, either byte order) as data: sections, code ranges
 * and build-id. The file may be hostile: everything in it is checked against
 * the file's size before it is used. It is mapped, so that only what is looked
 * at takes memory. Pages that are gone when they are read, as another process
 * has cut the file or the disk does not give them, read as zeros.
 */
#ifndef KST_ELFFILE_H
#define KST_ELFFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elffile/segs.h"

struct buf;
struct Elf; /* libelf's */

struct elf_range {
	uint64_t start, end; /* end is the first address after it */
};

enum { BUILD_ID_MAX = 64 };

/* A file whose length is checked when one of its pages is gone. */
struct elflost {
	struct elflost *next;
	int fd;
	size_t len;
};

/* Open for reading. */
struct elffile {
	struct Elf *elf; /* libelf's handle */
	int fd;
	size_t len;
	unsigned machine; /* e_machine */
	bool is_arm, has_symbols;
	bool is_cut;		/* its headers tell of bytes beyond its end */
	struct elf_range image; /* when loaded; its start is a page's */
	char build_id[2 * BUILD_ID_MAX + 1]; /* hexadecimal; "": none */
	/* private */
	struct elflost lost;
	size_t n_sections;
	struct seg_range *range; /* of code */
	size_t n_range, cap_range;
	struct segs code; /* of range[] */
};

/*
 * Opens a file. Returns NULL with the reason in *err (no path, no LF). A
 * package of debug information is not `linked`. elffile_kernel() takes what
 * kimage.h has as ELF files, too.
 */
struct elffile *elffile_open(const char *path, bool linked, struct buf *err);
struct elffile *elffile_kernel(const char *path, struct buf *err);
void elffile_close(struct elffile *f);

/*
 * The file of debug information for f, which has none, if $DEBUGINFOD_URLS
 * names servers and one has it, or the cache; else NULL, perhaps with a reason.
 */
struct elffile *elffile_debug(const struct elffile *f, struct buf *err);

/* Drops the file's pages from memory; they are mapped anew when read. */
void elffile_forget(const struct elffile *f);

/* Its path, to be freed; NULL when it has none. */
char *elffile_path(const struct elffile *f);

/* The end of the executable part that holds addr; addr when none does. */
uint64_t elffile_code_end(const struct elffile *f, uint64_t addr);

/* Lost pages, in elflost.c ------------------------------------------------ */

/*
 * From now on SIGBUS is handled, and the file's length is checked then. Nothing
 * else may be mapped but the program itself. SIGSEGV and SIGABRT after a failed
 * allocation end the command with EXIT_SYSTEM. The caller owns *w until
 * elflost_unwatch(), which ignores a file that is not watched.
 */
void elflost_watch(struct elflost *w, int fd, size_t len);
void elflost_unwatch(struct elflost *w);

/*
 * What was lost of any file until now: NULL, or words. If the disk has failed,
 * so has the system: msg_status() is told.
 */
const char *elflost_what(void);

/* Sections, in elfsec.c --------------------------------------------------- */

/*
 * A section's address and size when loaded, and its bytes, decompressed; none
 * for SHT_NOBITS.
 */
struct elf_section {
	uint64_t addr, size;
	const unsigned char *data;
	size_t len;
};

/* A section of strings; len is after its last NUL: offsets below are good. */
struct elf_strings {
	const char *p;
	size_t len;
};

/*
 * Finds a section by its name. Returns 0, 1 if it does not exist, or -1 with
 * the reason in *err if it is damaged. The bytes live as long as the file.
 */
int elf_find_section(struct Elf *elf, const char *name, struct elf_section *out,
    struct buf *err);

/* 0, or -1 when a section of debug information must not be decompressed. */
int elf_check_debug(struct Elf *elf, struct buf *err);

/*
 * The bytes of the section of code that holds an address, from there on; NULL
 * when there are none. They live as long as the file.
 */
const unsigned char *elf_code(struct Elf *elf, uint64_t addr, size_t *n);

/* The strings of the section of that number; none (len 0) if damaged. */
struct elf_strings elf_strings_of(struct Elf *elf, size_t section);

/*
 * The string at an offset, or NULL. elf_strptr() would search the last NUL each
 * time.
 */
static inline const char *
elf_string_at(const struct elf_strings *s, size_t off)
{
	return off < s->len ? s->p + off : NULL;
}

#endif
