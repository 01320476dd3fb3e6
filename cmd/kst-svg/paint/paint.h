/* SPDX-License-Identifier: ISC */
/* What the parts that draw know about the picture; open only to them. */
#ifndef PAINT_H
#define PAINT_H

#include <stdbool.h>
#include <stdint.h>

#include "opts/opts.h"

struct colours;
struct read_result;
struct tree;

/* Distances and sizes in pixels. */
enum { PICTURE_PAD = 10, PICTURE_NOTE_SIZE = 12, AXIS_HEIGHT = 18 };

/* Frames' text that would be smaller than this is left out. */
enum { PICTURE_FONT_MIN = 4 };

struct picture {
	const struct svg_opts *o;
	const struct tree *t;
	struct colours *c;
	const struct read_result *in;
	/* exact: in units of their own; certain: without a margin */
	bool exact, certain;
	uint64_t piece; /* length of pieces of time in ns, or 0; t has none */
	double inner, top, bottom, height; /* the first three: of the frames */
	unsigned *name_class; /* colour of each name, if not differential */
	/* The layout: shares of `inner`. */
	double *x; /* of each node: its left edge, 0 to 1 */
	/*
	 * Differential: the first count times `ratio` compares with the
	 * second; 1 unless totals are made equal.
	 */
	double ratio;
	double scale; /* weight of all, in units of weight */
	double span;  /* weight of the whole width: of the longest track */
	bool tracks;  /* root frames begin together, one above the other */
	uint32_t *row, row_max; /* row: of each node if there are tracks */
	/*
	 * Where idle CPUs are narrow: which nodes they are, and each node's
	 * width in units of weight; else NULL.
	 */
	bool *idle;
	double *width;
};

/*
 * idle.c. The first one returns a tree in which idle CPUs stand apart, which is
 * now p's and the caller's to free, or NULL if they do so already or there are
 * none; name_class is known. The second one fills `width`. Both fill `idle`,
 * and the caller frees what they fill. The third one draws such a frame,
 * without text.
 */
struct tree *idle_by_names(struct picture *p);
void idle_narrow(struct picture *p);
void idle_put(const struct picture *p, double x, double y, double w);

/* layout.c: fills the layout but `tracks`; the caller frees x and row. */
void layout_find(struct picture *p);

/* A node's width, 0 to 1, and its row, counted from the root. */
double layout_width(const struct picture *p, uint32_t i);
uint32_t layout_row(const struct picture *p, uint32_t i);

/* frames.c: fills name_class, which the caller frees. */
void frames_find_classes(struct picture *p);

/* programs.c: gives functions of programs their class, if there is one. */
void programs_find(const struct picture *p, unsigned *name_class);

/* lines.c: `; a.c:7 1.50%, …`, where a frame itself was most, in a tooltip. */
void lines_put(const struct picture *p, uint32_t i);

/* All frames, as children of an open <g>. */
void frames_put(const struct picture *p);

/* table.c: the data that the script draws from. */
void table_put(const struct picture *p);

/*
 * foot.c: writes the legend and the notes. Returns their height; with put false
 * nothing is written.
 */
double foot_put(const struct picture *p, double y, bool put);

/*
 * Draws an axis below the frames of a chart, from 0 to `end` counts. countname:
 * a unit of time (ns, us, ms, s …), which is written with each tick.
 */
void axis_put(const struct picture *p, double end);

/* Writes a text on a line of its own, cut to fit into the picture's width. */
void label_put(const struct picture *p, const char *class, double y,
    double size, const char *s);

#endif
