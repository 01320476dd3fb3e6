/* SPDX-License-Identifier: ISC */
/* The values of attributes, in each form of DWARF 2 to 5. */
#ifndef KST_DWFORM_H
#define KST_DWFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/dwread.h"

/* What a value's number means. */
enum dwclass {
	DW_NONE,   /* nothing that we know how to use (blocks, alt files) */
	DW_NUMBER, /* a constant, a flag, or an offset into a section */
	DW_ADDRESS,
	DW_ADDR_INDEX, /* of .debug_addr */
	DW_LIST_INDEX, /* of .debug_rnglists */
	DW_TEXT,       /* at str */
	DW_STR,	       /* offset in .debug_str */
	DW_LINE_STR,   /* offset in .debug_line_str */
	DW_STR_INDEX,  /* of .debug_str_offsets */
	DW_UNIT_REF,   /* an entry's offset in its unit */
	DW_INFO_REF    /* an entry's offset in .debug_info */
};

struct dwvalue {
	enum dwclass class;
	uint64_t n;
	const char *str;
};

/* What the sizes of values depend on. */
struct dwsizes {
	unsigned version, address, offset;
};

/* The form whose value stands with the kind of entry, not in the entry. */
enum { DW_IMPLICIT_CONST = 0x21 };

/* Reads a value; false, with r->bad set, for an unknown form. */
bool dwform_read(struct dwread *r, unsigned form, int64_t implicit,
    const struct dwsizes *sizes, struct dwvalue *val);

/*
 * How many bytes a form always has: that many in *bytes, or as many times an
 * address or an offset; false when only the value tells.
 */
struct dwfixed {
	uint32_t bytes, addresses, offsets;
};
bool dwform_fixed(unsigned form, struct dwfixed *f);

#endif
