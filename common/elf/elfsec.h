/* SPDX-License-Identifier: ISC */
/* The sections of an ELF file that libelf has opened. */
#ifndef KST_ELFSEC_H
#define KST_ELFSEC_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct Elf; /* libelf's */

/*
 * A section's address and size when loaded, and its bytes, decompressed; none
 * for SHT_NOBITS. offset is their place in the file, or 0.
 */
struct elf_section {
	uint64_t addr, size;
	const unsigned char *data;
	size_t len;
	uint64_t offset;
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
