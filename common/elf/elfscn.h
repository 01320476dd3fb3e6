/* SPDX-License-Identifier: ISC */
/*
 * What elffile.c and elfscn.c share: an open ELF file, and its tables of
 * strings. For no one else.
 */
#ifndef KST_ELFSCN_H
#define KST_ELFSCN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elffile.h"

struct Elf; /* libelf's */

enum { BUILD_ID_MAX = 64 };

/* A string section; len is behind its last NUL, so any offset below is good. */
struct elf_strings {
	const char *p;
	size_t len;
};

struct elffile {
	struct Elf *elf;
	int fd; /* -1: in memory */
	bool is64, big_endian, is_arm;
	size_t n_sections;
	struct elf_strings section_names;
	struct elf_range image;
	struct elf_range *code; /* sorted, apart from each other */
	size_t n_code;
	char build_id[2 * BUILD_ID_MAX + 1];
};

/* The strings of the section of that number; none (len 0) if it is damaged. */
struct elf_strings elf_strings_of(struct Elf *elf, size_t section);

#endif
