/* SPDX-License-Identifier: ISC */
/* Private to the room: tail calls. */
#ifndef KST_ELFTAILS_H
#define KST_ELFTAILS_H

#include <stddef.h>
#include <stdint.h>

#include "elf/elfsym.h"

struct buf;
struct dwarf;
struct elffile;
struct elftails;

/*
 * Finds functions that have left no frame on the stack, because their last act
 * was to jump to another function. Such functions must have run between a call
 * and the function that is found where it went. Both arguments must outlive the
 * result.
 */
struct elftails *elftails_new(struct elffile *f, struct dwarf *d);
void elftails_free(struct elftails *t);

/*
 * The addresses after the jumps that lead from the call which returns to `ret`
 * to the function that begins at `callee`, innermost first. If there are
 * several ways, only what they have in common at either end, as in gdb. At most
 * ELFSYM_TAILS_MAX; 0 if there are none or they cannot be known.
 */
size_t elftails_find(struct elftails *t, uint64_t ret, uint64_t callee,
    uint64_t pc[ELFSYM_TAILS_MAX], struct buf *err);

/*
 * The name that debug information has for the function that begins at an
 * address. NULL unless a symbol there has the same name.
 */
const char *elftails_alias(
    struct elftails *t, uint64_t addr, const char *name, struct buf *err);

#endif
