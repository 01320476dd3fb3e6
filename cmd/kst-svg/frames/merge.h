/* SPDX-License-Identifier: ISC */
/* Merges equal siblings. */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stdint.h>

struct tree;

/*
 * The length of the pieces of time that are root frames, kst-folded(5): the
 * distance of the two nearest, in ns. 0 if root frames are something else.
 */
uint64_t tree_piece(const struct tree *t);

/* Whether all frames above the root frames are CPUs. */
bool tree_has_cpus(const struct tree *t);

/*
 * Makes a tree whose equal siblings are merged, in the order of their names,
 * without the frames of the first `drop` depths. The tree shares the names.
 */
struct tree *tree_merge(const struct tree *t, uint32_t drop);

#endif
