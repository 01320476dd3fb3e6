/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: the calls inlined at an address, from the entries of its
 * unit.
 */
#ifndef KST_DWINDEX_H
#define KST_DWINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct Dwarf_CU;
struct buf;
struct dwarf;
struct dwarf_call;
struct dwunit;

/* The unit that holds an address, indexed; NULL: none. */
struct dwunit *dwarf_unit(struct dwarf *d, uint64_t addr, struct buf *err);

/*
 * The calls inlined at an address of the function with the symbol func,
 * innermost first, at most max. Positions are
 * filled only if the reader was made with lines. The first damaged or missing
 * part is added to *err; it is skipped from then on.
 */
size_t dwarf_calls(struct dwarf *d, uint64_t addr, const char *func,
    struct dwarf_call *calls, size_t max, struct buf *err);

/* The raw name of an entry's function, "" when it has none. */
const char *dwindex_name(struct Dwarf_CU *cu, void *entry);

/*
 * Where an entry's function begins. If it has several parts, the first one has
 * the function's entry.
 */
bool dwindex_begin(struct Dwarf_CU *cu, void *entry, uint64_t *addr);

#endif
