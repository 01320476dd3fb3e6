/* SPDX-License-Identifier: ISC */
/* The head of a line program: how it is coded, its directories and files. */
#ifndef KST_DWLINEHEAD_H
#define KST_DWLINEHEAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/dwunit.h"

struct linefile {
	const char *name;
	uint64_t dir;
	char *text; /* directory and name, made when first asked for */
	uint32_t len;
};

struct linehead {
	unsigned version;
	struct dwsizes sizes;
	unsigned min_inst, line_range, opcode_base;
	int line_base;
	unsigned char n_args[256]; /* of standard opcodes */
	const char **dir;
	struct linefile *file;
	size_t n_dirs, n_files, cap_dirs, cap_files;
};

/* Reads the head into *h, zeroed before; leaves r at the program. */
bool linehead_read(struct dwarf *d, const struct unit *u, struct linehead *h,
    struct dwread *r);
void linehead_done(struct linehead *h);

#endif
