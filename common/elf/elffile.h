/* SPDX-License-Identifier: ISC */
/*
 * An ELF file (32 or 64 bits, either byte order) as data: sections, code ranges
 * and build-id. The file may be hostile: everything in it is checked against
 * the file's size before it is used. It is mapped, so that only what is looked
 * at takes memory; elflost.h tells what was lost of it meanwhile.
 */
#ifndef KST_ELFFILE_H
#define KST_ELFFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elfsec.h"

struct buf;
struct elffile;

struct elf_range {
	uint64_t start, end; /* end is the first address after it */
};

/*
 * Opens a file, or reads an image in memory, which must stay. Returns NULL
 * with the reason in *err (no path, no LF).
 */
struct elffile *elffile_open(const char *path, struct buf *err);
struct elffile *elffile_memory(const void *p, size_t len, struct buf *err);

/* The same for a file that is not linked: a package of debug information. */
struct elffile *elffile_open_debug(const char *path, struct buf *err);
void elffile_close(struct elffile *f);

/* Drops the file's pages from memory; they are mapped anew when read. */
void elffile_forget(const struct elffile *f);

/* Whether its headers tell of bytes beyond its end. */
bool elffile_is_cut(const struct elffile *f);

/* libelf's handle, valid while the file is open. */
struct Elf *elffile_elf(const struct elffile *f);

/* Its descriptor, -1 when it is in memory; and its path, to be freed. */
int elffile_fd(const struct elffile *f);
char *elffile_path(const struct elffile *f);

bool elffile_is_arm(const struct elffile *f);
bool elffile_big_endian(const struct elffile *f);

/* The loaded image's first byte, rounded down to 4 KiB, and its end. */
struct elf_range elffile_image(const struct elffile *f);

/* The end of the executable part that holds addr; addr when none does. */
uint64_t elffile_code_end(const struct elffile *f, uint64_t addr);

/* The build-id in hexadecimal digits, "" when there is none. */
const char *elffile_build_id(const struct elffile *f);

/*
 * Finds a section by its name. Returns 0, 1 if it does not exist, or -1 with
 * the reason in *err if it is damaged. The bytes live as long as the file.
 */
int elffile_section(struct elffile *f, const char *name,
    struct elf_section *out, struct buf *err);

#endif
