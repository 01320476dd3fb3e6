/* SPDX-License-Identifier: ISC */
/* Writes the picture: the static SVG, its data and its script. */
#ifndef DRAW_H
#define DRAW_H

#include "svg.h"

struct colours;
struct read_result;

/* To the output (out.h). */
void draw_svg(
    const struct svg_opts *o, const struct read_result *in, struct colours *c);

#endif
