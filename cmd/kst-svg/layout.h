/* SPDX-License-Identifier: ISC */
/* Where each frame lies: shares of the picture's width. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "svg.h"

struct tree;

struct layout {
	double *x; /* of each node: its left edge, 0 to 1 */
	/*
	 * Differential: the first count times `ratio` compares with the
	 * second; 1 unless totals are made equal.
	 */
	double ratio;
	double scale; /* weight of all, in units of weight */
	double span;  /* weight of the whole width: of the longest track */
	bool tracks;
	uint32_t *row, row_max; /* row: of each node if there are tracks */
};

/* tracks: root frames begin together, and stand one above the other. */
void layout_init(struct layout *l, const struct tree *t,
    const struct svg_opts *o, bool tracks);
void layout_done(struct layout *l);

/* A node's width, 0 to 1, and its row, counted from the root. */
double layout_width(const struct layout *l, const struct tree *t, uint32_t i);
uint32_t layout_row(const struct layout *l, const struct tree *t, uint32_t i);

#endif
