/* SPDX-License-Identifier: ISC */
/*
 * Builds the tree of frames from stacks given one after the other. Neighbours
 * that are equal are merged, so stacks in bytewise order give each call path
 * once, in one pass.
 *
 * Memory: it holds the last stack, and the closed frames up to the number that
 * is to be kept. Beyond that number it holds only those that are wide enough so
 * far.
 */
#ifndef BUILD_H
#define BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "frames/tree.h"

struct build;
struct svg_opts;

/*
 * The caller owns the options. keep: how many frames are kept however narrow
 * they are.
 */
struct build *build_new(const struct svg_opts *o, size_t keep);
void build_free(struct build *b);

enum build_result {
	BUILD_OK,
	BUILD_UNSORTED, /* the stack comes before the last one */
	BUILD_OVERFLOW	/* the total does not fit 64 bits; not counted */
};

/*
 * Counts a stack (frames between `;`, copied) with its two weights; the second
 * is 0 if there is one count. place: where in the input the stack first was;
 * NULL: the weight before it, or nothing in sorted input. On failure nothing is
 * counted.
 */
enum build_result build_add(struct build *b, const char *stack, size_t len,
    const weight w[2], const uint64_t *place);

/*
 * Ends the input. Returns the tree of the frames that are wide enough, which
 * the caller frees with tree_free(). Siblings are in the order of their names,
 * except in a chart. Afterwards the builder can only be freed.
 */
struct tree *build_tree(struct build *b);

#endif
