/* SPDX-License-Identifier: ISC */
/* What the table of --per-call says of the two runs. */
#ifndef CALLS_H
#define CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct code_func;
struct measure;
struct row;
struct show;

/*
 * Takes away the rows of functions whose own code differs and that have no
 * calls, such as a label, which have no cost of a call; code_jumps() names
 * them. Returns how many are left.
 */
size_t calls_drop(const struct measure *m, struct row *rows, size_t n);

/*
 * Whether a row counts as costing as much, though it has changed: with --elf,
 * its code is equal, and its calls cost less than 0.5 % more or less.
 */
bool calls_is_small(const struct show *s, const struct row *r);

/* Whether its code differs, and its calls cost more. */
bool calls_is_dearer(const struct row *r);

/* The first of those that are jumped to and cost more; or NULL. */
const struct code_func *calls_jumped(const struct show *s);

/* A function that another one calls. */
struct called {
	uint32_t key;
	double rate[2]; /* its calls for each call of the other, on each side */
	double with;	/* of it and what it calls, in the other's cost after */
};

/*
 * Finds the function that a row's one calls more or less often than before in
 * each of its calls, by more than a quarter and more than one call in a
 * hundred. Of several, one that is called on one side only comes first, then
 * the one that costs the other most, or changed most. False: there is none, the
 * row has no calls on a side, or it is not looked at. Looked at are the first
 * 16 rows if their own code differs, and the first whose code is equal, if the
 * cost of its calls has changed by more than half. A function that is inlined
 * on one side is not told.
 */
bool calls_changed(const struct show *s, const struct row *r, struct called *c);

/*
 * The function by which a run is told that did not get as far in as many
 * instructions, and its side, 0 or 1; or NULL.
 */
const struct row *calls_behind(const struct show *s, int *side);

/* Appends the lines below the table, each with a newline. */
void calls_end(const struct show *s, struct buf *b);

#endif
