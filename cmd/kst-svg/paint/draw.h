/* SPDX-License-Identifier: ISC */
/* From the files to the picture. */
#ifndef DRAW_H
#define DRAW_H

struct colours;
struct read_result;
struct svg_opts;

/*
 * Writes the picture to the output. *c may be NULL, and may be replaced.
 * Returns the exit status.
 */
int draw_run(
    const struct svg_opts *o, struct colours **c, char **operands, int n);

/* Writes the picture of what was read. */
void draw_svg(
    const struct svg_opts *o, const struct read_result *in, struct colours *c);

#endif
