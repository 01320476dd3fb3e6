/* SPDX-License-Identifier: ISC */
/*
 * An ELF file (32 or 64 bits, of either byte order) as data to read: sections,
 * what of it is code, its symbols and its build-id. The file is taken to be
 * hostile: nothing in it is believed before it was compared with the file's
 * size. It is read, not mapped, so that a file that shrinks does no harm.
 */
#ifndef KST_ELFFILE_H
#define KST_ELFFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct elffile;

struct elf_range {
	uint64_t start, end; /* end is the first address behind */
};

/* A section's place and bytes (decompressed; none for SHT_NOBITS). */
struct elf_section {
	uint64_t addr, size;
	const unsigned char *data;
	size_t len;
};

/* A symbol; the name lives as long as the file is open. */
struct elf_symbol {
	const char *name;
	uint64_t addr, size;
	bool func;   /* STT_FUNC or STT_GNU_IFUNC, else STT_NOTYPE */
	int binding; /* 0 global, 1 weak, 2 local: the order of preference */
};

/*
 * Opens a file, or reads an image in memory, which must stay. Returns NULL
 * with the reason in *err (no path, no LF).
 */
struct elffile *elffile_open(const char *path, struct buf *err);
struct elffile *elffile_memory(const void *p, size_t len, struct buf *err);
void elffile_close(struct elffile *f);

bool elffile_is64(const struct elffile *f);
bool elffile_big_endian(const struct elffile *f);

/* The loaded image's first byte, rounded down to 4 KiB, and its end. */
struct elf_range elffile_image(const struct elffile *f);

/* The end of the executable part that holds addr; addr when none does. */
uint64_t elffile_code_end(const struct elffile *f, uint64_t addr);

/* The build-id in hexadecimal digits, "" when there is none. */
const char *elffile_build_id(const struct elffile *f);

/*
 * Finds a section by its name. Returns 0, 1 when there is none, or -1 when it
 * is damaged (with the reason in *err). The bytes live as long as the file.
 */
int elffile_section(struct elffile *f, const char *name,
    struct elf_section *out, struct buf *err);

/*
 * Calls fn for each named function symbol and each untyped one that lies in
 * code, from .symtab, or else from .dynsym. Returns 0, or -1 with the reason
 * in *err when the table is damaged; what could be read was given to fn.
 */
int elffile_symbols(struct elffile *f,
    void (*fn)(const struct elf_symbol *sym, void *arg), void *arg,
    struct buf *err);

#endif
