/* SPDX-License-Identifier: ISC */
/* What the parts that draw know of the picture; open to them alone. */
#ifndef PICTURE_H
#define PICTURE_H

#include <stdbool.h>

#include "layout.h"
#include "svg.h"

struct colours;
struct trailer;
struct tree;
struct when;

/* Distances and sizes in pixels. */
enum { PICTURE_PAD = 10, PICTURE_NOTE_SIZE = 12 };

/* Frames' text that would be smaller than this is left out. */
enum { PICTURE_FONT_MIN = 4 };

/* Colours of text on a light page, as in the style sheet. */
#define PICTURE_TEXT "#1d2127"
#define PICTURE_SOFT "#5b6470"

struct picture {
	const struct svg_opts *o;
	const struct tree *t;
	const struct when *when; /* or NULL: t is the tree without time */
	struct colours *c;
	const struct trailer *trailer;
	bool differential, exact; /* exact: counts are not samples */
	struct layout l;
	double inner, top, bottom; /* of the frames: width, edges */
	double height, strip;	   /* strip: where it begins */
	unsigned *name_class; /* colour of each name, if not differential */
};

/* frames.c: fills name_class, which the caller frees. */
void frames_find_classes(struct picture *p);

/* All frames, as children of an open <g>. */
void frames_put(const struct picture *p);

/*
 * foot.c: the legend and the notes. Returns their height; with put false
 * nothing is written.
 */
double foot_put(const struct picture *p, double y, bool put);

/* A text on a line of its own, cut to fit into the picture's width. */
void label_put(const struct picture *p, const char *class, double y,
    double size, const char *s);

#endif
