/* SPDX-License-Identifier: ISC */
/* What the parts that draw know of the picture; open to them alone. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "opts/opts.h"

struct colours;
struct read_result;
struct tree;

/* Where each frame lies: shares of the picture's width. */
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
	struct layout l;
	double inner, top, bottom, height; /* the first three: of the frames */
	unsigned *name_class; /* colour of each name, if not differential */
};

/* frames.c: fills name_class, which the caller frees. */
void frames_find_classes(struct picture *p);

/* All frames, as children of an open <g>. */
void frames_put(const struct picture *p);

/* table.c: the data that the script draws from. */
void table_put(const struct picture *p);

/*
 * foot.c: the legend and the notes. Returns their height; with put false
 * nothing is written.
 */
double foot_put(const struct picture *p, double y, bool put);

/*
 * An axis below the frames of a chart, from 0 to `end` counts. countname: a
 * unit of time (ns, us, ms, s …) is written with each tick.
 */
void axis_put(const struct picture *p, double end);

/* A text on a line of its own, cut to fit into the picture's width. */
void label_put(const struct picture *p, const char *class, double y,
    double size, const char *s);

#endif
