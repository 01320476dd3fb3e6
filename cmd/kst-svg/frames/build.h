/* SPDX-License-Identifier: ISC */
/*
 * Builds the tree of frames from stacks given one after the other. What lies
 * next to each other and is equal is merged, so stacks in bytewise order give
 * each call path once, in one pass.
 *
 * Memory: only the stack given last and the frames that are closed are held, up
 * to as many as are to be kept; then those that are wide enough so far.
 */
#ifndef BUILD_H
#define BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "frames/tree.h"

struct build;
struct svg_opts;

/*
 * The options stay the caller's. keep: so many frames are kept however narrow
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
 * Counts a stack (frames between `;`, copied) with its two weights; the
 * second is 0 where there is one count. place: where in the input it first was,
 * or NULL: then it is the weight before it, or nothing in sorted input.
 * Nothing is counted on failure.
 */
enum build_result build_add(struct build *b, const char *stack, size_t len,
    const weight w[2], const uint64_t *place);

/*
 * Ends the input: the tree of the frames that are wide enough; but for a chart
 * siblings have the order of their names. The caller frees it with tree_free().
 * The builder can only be freed after that.
 */
struct tree *build_tree(struct build *b);

#endif
