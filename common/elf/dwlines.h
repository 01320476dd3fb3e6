/* SPDX-License-Identifier: ISC */
/*
 * Source lines of a unit, read when first asked for.
 *
 * Private to common/elf.
 */
#ifndef KST_DWLINES_H
#define KST_DWLINES_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct dwarf_pos;
struct dwunit;
struct dwunits;

/* The line of an address; false when it is not known. */
bool dwlines_find(struct dwunits *us, struct dwunit *u, uint64_t addr,
    struct dwarf_pos *pos, struct buf *err);

/* A position by the number that the unit's entries have for its file. */
bool dwlines_file(struct dwunits *us, struct dwunit *u, uint32_t file,
    uint32_t line, struct dwarf_pos *pos, struct buf *err);

#endif
