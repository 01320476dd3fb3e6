/* SPDX-License-Identifier: ISC */
/*
 * The index of a unit's inlined calls, made when an address in it is first
 * looked up: which call each is in, and their ranges, flattened (segs.h).
 *
 * Private to common/elf.
 */
#ifndef KST_DWINDEX_H
#define KST_DWINDEX_H

#include <stdint.h>

struct buf;
struct dwunit;
struct dwunits;

struct inlined {
	uint32_t parent; /* UINT32_MAX: it is in the function itself */
	uint32_t file, line;
	uint32_t name_len;
	void *entry;	  /* libdw's address of it */
	const char *name; /* NULL until dwindex_name() */
};

/* Fills the unit's index; *err says what is damaged. */
void dwindex_make(struct dwunits *us, struct dwunit *u, struct buf *err);

/* Looks up the raw name of a call, "" when it has none. */
void dwindex_name(struct dwunit *u, struct inlined *in);

#endif
