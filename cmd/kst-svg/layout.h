/* SPDX-License-Identifier: ISC */
/* Where each frame lies: shares of the picture's width. */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "svg.h"

struct tree;

struct layout {
	double *x, *w; /* for each node: left edge and width, 0 to 1 */
	/*
	 * Differential: the first count times `ratio` compares with the
	 * second; 1 unless totals are made equal.
	 */
	double ratio;
	double scale; /* weight of the whole width, in units of weight */
};

void layout_init(
    struct layout *l, const struct tree *t, const struct svg_opts *o);
void layout_done(struct layout *l);

#endif
