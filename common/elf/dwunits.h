/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: the units of debug information, and the limits for
 * reading them.
 */
#ifndef KST_DWUNITS_H
#define KST_DWUNITS_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct dwarf;
struct dwunit;
struct elffile;

/*
 * Finds the units. Returns NULL if there is no debug information, or, with the
 * reason in *err, if it is useless. The file must outlive the units.
 */
struct dwarf *dwarf_new(
    struct elffile *f, bool lines, bool tails, struct buf *err);
void dwarf_free(struct dwarf *d);

/* The unit that an address is in, or NULL. */
struct dwunit *dwunits_at(struct dwarf *d, uint64_t addr);

/*
 * Sets u->entries. False, with the reason in *err, if the split unit cannot be
 * read.
 */
bool dwunits_entries(struct dwarf *d, struct dwunit *u, struct buf *err);

/*
 * Subtracts from what the file may take: bytes of memory, and the CPU time
 * since the last call or since dwunits_start(). False when nothing is left.
 */
void dwunits_start(struct dwarf *d);
bool dwunits_spend(struct dwarf *d, uint64_t bytes);

/*
 * Notes damage, at an offset in .debug_info; only the first call counts. `kind`
 * is a few words.
 */
void dw_damage(struct buf *err, const char *kind, uint64_t offset);

#endif
