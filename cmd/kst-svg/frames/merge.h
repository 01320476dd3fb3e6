/* SPDX-License-Identifier: ISC */
/* Equal siblings made one. */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stdint.h>

struct tree;

/*
 * The length of the pieces of time that root frames are, kst-folded(5): what
 * the two nearest are apart, in ns; 0 if root frames are something else.
 */
uint64_t tree_piece(const struct tree *t);

/* Whether what stands above the root frames are CPUs, and nothing else. */
bool tree_has_cpus(const struct tree *t);

/*
 * A tree whose equal siblings are one, in the order of their names, without the
 * frames of the first `drop` depths. It shares the names.
 */
struct tree *tree_merge(const struct tree *t, uint32_t drop);

#endif
