/* SPDX-License-Identifier: ISC */
/*
 * Finds the functions of one ELF file by address, at the file's own addresses.
 *
 * If several symbols name the same code, one is chosen: a function before an
 * untyped label, then the greatest name, so that the table's order does not
 * matter. A label without a size, as assemblers write it, reaches to the next
 * symbol or the end of its section, but never into a function with a size.
 */
#ifndef KST_ELFFUNCS_H
#define KST_ELFFUNCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elffile/segs.h"

struct buf;
struct elffile;

/* A named stretch of code; the name lives as long as the file is open. */
struct elffunc {
	const char *name;
	uint32_t len;
	uint8_t rank; /* less is better */
	bool thumb;   /* 32-bit Arm: its lowest bit is set, which addr lacks */
	uint64_t addr, end;
};

/* Open for the count; only elffuncs.c changes it. */
struct elffuncs {
	struct elffunc *v; /* sorted by address */
	size_t n, cap;
	bool plain;
	bool local; /* from a table that has those that are not exported */
	struct segs segs;
};

/*
 * Reads the symbols of the file into *t, which must be zeroed. *err says what
 * is damaged; the rest is read.
 */
void elffuncs_read(
    struct elffuncs *t, struct elffile *f, bool plain, struct buf *err);
void elffuncs_done(struct elffuncs *t);

/*
 * Reads all symbols that name code, including each alias; the second function
 * sorts them by name. elffuncs_named() gives the symbols of one name, the
 * preferred one first, *n of them.
 */
void elffuncs_all(struct elffuncs *t, const struct elffile *f, struct buf *err);
void elffuncs_by_name(struct elffuncs *t, struct elffile *f, struct buf *err);
const struct elffunc *elffuncs_named(
    const struct elffuncs *t, const char *name, size_t *n);

/* The innermost function at an address, or NULL. */
const struct elffunc *elffuncs_find(const struct elffuncs *t, uint64_t addr);

#endif
