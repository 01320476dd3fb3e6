/* SPDX-License-Identifier: ISC */
/*
 * The program files of a guest, known by the hash (XXH3-64) of their .text.
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "elf/elfsym.h"
#include "unwind/unwind.h"

struct programs;

/* A program file at one base address. */
struct program {
	const char *name;   /* of the file, without folder */
	struct elfsym *sym; /* NULL when only addresses are wanted */
	uint64_t bias;	    /* what its symbols are to be moved by */
	struct unwind_module *module;
};

/*
 * Reads all ELF files of a folder (others are passed over). Returns NULL after
 * a message when the folder cannot be read.
 */
struct programs *programs_open(const char *dir);
void programs_close(struct programs *p);

/* Whether any file's .text has that size: else no hash can match. */
bool programs_sized(const struct programs *p, uint64_t text_size);

/*
 * The program whose .text has the hash, with its image at `base`; the unwinder
 * gets its module, not in use. NULL when there is none.
 */
const struct program *programs_find(struct programs *p, uint64_t hash,
    uint64_t base, struct unwinder *u, bool names);

#endif
