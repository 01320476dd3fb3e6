/* SPDX-License-Identifier: ISC */
/*
 * Colours as numbers: their brightness, and whether text on them is readable.
 */
#ifndef RGB_H
#define RGB_H

#include <stddef.h>

struct rgb {
	unsigned char r, g, b;
};

/* WCAG 2's contrast of two colours, 1..21. */
double rgb_contrast(struct rgb a, struct rgb b);

/*
 * The colour of text on a colour: the first of #111 (NULL), white and black
 * that has a contrast of 4.5:1.
 */
const char *rgb_text_on(struct rgb c);

/* Darkens a colour somewhat, if #111 can still be read on it. */
struct rgb rgb_dimmed(struct rgb c);

/* Shades 1 and 2 are lighter, 3 is darker. Text on them is as on shade 0. */
struct rgb rgb_shade(struct rgb c, unsigned shade);

/*
 * A colour by its hue 0..360, saturation and lightness 0..1. The lightness is
 * raised until dark text (#111) has a contrast of 4.5:1 and some more.
 */
struct rgb rgb_for_dark_text(double hue, double sat, double light);

/* Colours of one saturation and lightness, 0..1; hues in degrees. */
struct hues {
	double from, to, sat, light;
};

/*
 * Reads `hsl(hue,saturation%,lightness%)`, or the same with a range `from-to`
 * of hues.
 */
int rgb_parse_hues(const char *s, size_t len, struct hues *h);

/* The text `#rrggbb` of a colour. */
#define RGB_TEXT(c) rgb_text(c, (char[8]){0})
const char *rgb_text(struct rgb c, char text[8]);

/* `#rgb`, `#rrggbb` or `rgb(r,g,b)`. Returns 0, or -1. */
int rgb_parse(const char *s, size_t len, struct rgb *c);

#endif
