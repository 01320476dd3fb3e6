/* SPDX-License-Identifier: ISC */
/* What the table of --per-call says of the two runs. */
#ifndef CALLS_H
#define CALLS_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct measure;
struct row;
struct show;

/*
 * Takes away the rows of functions whose own code differs and that have no
 * calls, such as a label, which have no cost of a call; code_rest() names them.
 * Returns how many are left.
 */
size_t calls_drop(const struct measure *m, struct row *rows, size_t n);

/*
 * Whether a row counts as costing as much, though it has changed: with --elf,
 * its code is equal, and its calls cost less than 0.5 % more or less.
 */
bool calls_is_small(const struct show *s, const struct row *r);

/* Whether its code differs, and its calls cost more. */
bool calls_is_dearer(const struct row *r);

/* Appends the lines below the table, each with a newline. */
void calls_end(const struct show *s, struct buf *b);

#endif
