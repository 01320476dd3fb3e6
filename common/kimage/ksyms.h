/* SPDX-License-Identifier: ISC */
/* Private to the room: the symbols of a kernel, from its own table or a list.
 */
#ifndef KST_KSYMS_H
#define KST_KSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ksym {
	uint64_t addr;
	uint32_t name; /* in names; ends with NUL */
	char type;     /* as of nm(1) */
};

/* Zero it to begin. */
struct ksyms {
	struct ksym *v; /* in rising order */
	size_t n, cap;
	struct buf names;
	/* What the addresses count from; a table of Linux need not say. */
	enum { KSYMS_ZERO, KSYMS_IMAGE, KSYMS_TABLE } from;
	size_t at; /* where the table was, in the image */
};

void ksyms_done(struct ksyms *k);

/* Adds to all addresses. */
void ksyms_move(struct ksyms *k, uint64_t by);

/*
 * Decodes the kallsyms of a little-endian kernel of 64 bits, unpacked, of any
 * layout from Linux 5.0 to 7.2. Addresses that are counted from the lowest
 * symbol, with that one's address left to a relocation, are KSYMS_IMAGE; those
 * counted from the table's place, KSYMS_TABLE, are offsets in the image.
 * Returns false, with no symbols, when there is no such table.
 */
bool kallsyms_read(const uint8_t *p, size_t len, struct ksyms *k);

/*
 * Reads lines of `ADDRESS TYPE NAME [MODULE]`: System.map, or /proc/kallsyms.
 * Returns false when the text does not begin with one, or with the reason in
 * *err.
 */
bool ksyms_list(const char *p, size_t len, struct ksyms *k, struct buf *err);

#endif
