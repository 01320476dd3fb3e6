/* SPDX-License-Identifier: ISC */
/*
 * The functions of one ELF file by address, at the file's own addresses.
 *
 * Of several symbols for the same stretch of code one is chosen: a function
 * before an untyped label, a global before a weak before a local one, then
 * the one with fewer underscores in front, then the first bytewise: the same
 * for each run and each order of the table. A label without a size, as
 * assemblers write it, reaches to the next symbol or to the end of its
 * section, but never names the inside of a function that has a size.
 */
#ifndef KST_ELFFUNCS_H
#define KST_ELFFUNCS_H

#include <stddef.h>
#include <stdint.h>

#include "elf/segs.h"

struct buf;
struct elffile;

/* A named stretch of code; the name lives as long as the file is open. */
struct elffunc {
	const char *name;
	uint32_t len;
	uint8_t rank; /* less is better */
	uint64_t addr, end;
};

/* Open for the count; only elffuncs.c changes it. */
struct elffuncs {
	struct elffunc *v; /* sorted by address */
	size_t n, cap;
	struct segs segs;
};

/*
 * Reads the symbols of the file into *t, which is zeroed before. What is
 * damaged is said in *err, and the rest taken.
 */
void elffuncs_read(struct elffuncs *t, struct elffile *f, struct buf *err);
void elffuncs_done(struct elffuncs *t);

/* The innermost function at an address, or NULL. */
const struct elffunc *elffuncs_find(const struct elffuncs *t, uint64_t addr);

#endif
