/* SPDX-License-Identifier: ISC */
/* Writes the picture: the static SVG, its data and its script. */
#ifndef SVG_DRAW_H
#define SVG_DRAW_H

#include <stdbool.h>

#include "svg.h"

struct colours;
struct tree;

/* To the output (out.h). */
void draw_svg(const struct svg_opts *o, const struct tree *t, struct colours *c,
    bool differential);

#endif
