/* SPDX-License-Identifier: ISC */
/* Private to the room: source lines. */
#ifndef KST_DWLINES_H
#define KST_DWLINES_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct dwarf;
struct dwarf_pos;
struct dwunit;
struct Dwarf_CU;

/* The source line of an address; false when it is not known. */
bool dwarf_line(
    struct dwarf *d, uint64_t addr, struct dwarf_pos *pos, struct buf *err);

/* The position of a line in a file that the unit's entries number. */
void dwlines_pos(struct dwarf *d, struct dwunit *u, uint64_t file,
    uint64_t line, struct dwarf_pos *pos, struct buf *err);

/* Calls `row` for all rows of the line tables, with the file's addresses. */
struct elfsym_row;
void dwarf_rows(struct dwarf *d,
    void (*row)(void *ctx, const struct elfsym_row *r), void *ctx,
    struct buf *err);

/*
 * Where an inlined call was made, by its entry: the number of a file, 0 if
 * unknown, and a line. Whether its function is declared there.
 */
void dwlines_from(
    struct Dwarf_CU *cu, void *entry, uint32_t *file, uint32_t *line);
bool dwlines_at_decl(struct Dwarf_CU *cu, void *entry);

#endif
