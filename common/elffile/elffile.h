/* SPDX-License-Identifier: ISC */
/*
 * Opens an ELF file (32 or 64 bits, either byte order) as data: sections, code
 * ranges and build-id. The file may be hostile: everything in it is checked
 * against the file's size before it is used. The file is mapped, so that only
 * what is looked at takes memory. If a page cannot be read, because another
 * process has cut the file or the disk has failed, it reads as zeros.
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

/* A file whose length is checked when one of its pages cannot be read. */
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
 * Opens a file. Returns NULL with the reason in *err (without path and line
 * end). A package of debug information is not `linked`. elffile_kernel() also
 * takes the kernels of which kimage.h makes an ELF file.
 */
struct elffile *elffile_open(const char *path, bool linked, struct buf *err);
struct elffile *elffile_kernel(const char *path, struct buf *err);
void elffile_close(struct elffile *f);

/*
 * For a file without debug information: the file that has it, from the cache or
 * from a server in $DEBUGINFOD_URLS. Else NULL, perhaps with a reason.
 */
struct elffile *elffile_debug(const struct elffile *f, struct buf *err);

/*
 * Drops the file's pages from memory. They are mapped again when they are read.
 */
void elffile_forget(const struct elffile *f);

/* Its path, which the caller frees; NULL if it has none. */
char *elffile_path(const struct elffile *f);

/* The end of the executable part that holds addr; addr if no part does. */
uint64_t elffile_code_end(const struct elffile *f, uint64_t addr);

/* Lost pages, in elflost.c ------------------------------------------------ */

/*
 * From now on SIGBUS is handled: it makes the file's length be checked. Nothing
 * else may be mapped, except the program itself. After a failed allocation,
 * SIGSEGV and SIGABRT end the command with EXIT_SYSTEM. The caller owns *w
 * until elflost_unwatch(), which ignores a file that is not watched.
 */
void elflost_watch(struct elflost *w, int fd, size_t len);
void elflost_unwatch(struct elflost *w);

/*
 * What has been lost of any file so far, in words; NULL if nothing. If the disk
 * has failed, msg_status() will say that the system did.
 */
const char *elflost_what(void);

/* Sections, in elfsec.c --------------------------------------------------- */

/*
 * Where a section is when loaded, its size, and its bytes, decompressed. A
 * section of type SHT_NOBITS has no bytes.
 */
struct elf_section {
	uint64_t addr, size;
	const unsigned char *data;
	size_t len;
};

/*
 * A section of strings. len is after its last NUL: every offset below len has a
 * whole string.
 */
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

/*
 * Returns 0, or -1 if a section of debug information must not be decompressed.
 */
int elf_check_debug(struct Elf *elf, struct buf *err);

/*
 * The bytes of the section of code that holds an address, from there on; NULL
 * when there are none. They live as long as the file.
 */
const unsigned char *elf_code(struct Elf *elf, uint64_t addr, size_t *n);

/*
 * Section of code number i, of those that have bytes. Returns false when there
 * are fewer. The bytes live as long as the file.
 */
bool elf_nth_code(struct Elf *elf, size_t i, struct elf_section *out);

/* The strings of the section of that number; none (len 0) if damaged. */
struct elf_strings elf_strings_of(struct Elf *elf, size_t section);

/*
 * The string at an offset, or NULL. It takes constant time, where elf_strptr()
 * searches the last NUL at each call.
 */
static inline const char *
elf_string_at(const struct elf_strings *s, size_t off)
{
	return off < s->len ? s->p + off : NULL;
}

#endif
