/* SPDX-License-Identifier: ISC */
/*
 * Reads folded text into a tree: sorted input in one pass, other input after
 * sorting it, and decides whether the input is differential.
 */
#ifndef READ_H
#define READ_H

#include <stdbool.h>
#include <stdint.h>

#include "opts/opts.h"
#include "profile/pieces.h"
#include "text/trailer.h"

struct tree;

struct read_result {
	struct tree *tree;	  /* the caller's */
	bool differential;	  /* nodes have two weights */
	bool unsorted;		  /* nodes know where they were in the input */
	uint64_t n_stacks;	  /* lines that were stacks */
	bool failed;		  /* something was wrong, and has been said */
	struct trailer trailer;	  /* of all files, if they have one */
	struct failures failures; /* the caller's */
};

/* Reads all operands (none: the standard input). */
struct read_result read_folded(
    const struct svg_opts *o, char **operands, int n_operands);

#endif
