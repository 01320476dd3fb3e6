/* SPDX-License-Identifier: ISC */
/* From the files to the picture. */
#ifndef RUN_H
#define RUN_H

struct colours;
struct svg_opts;

/* The palette unless another is asked for; frames may be annotated. */
#define PALETTE_USUAL "hot"

/* *c may be replaced. Returns the exit status. */
int run(const struct svg_opts *o, struct colours **c, char **operands, int n);

#endif
