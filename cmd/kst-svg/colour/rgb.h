/* SPDX-License-Identifier: ISC */
/* Colours as numbers: how bright they are, and whether text is readable. */
#ifndef RGB_H
#define RGB_H

#include <stddef.h>

struct rgb {
	unsigned char r, g, b;
};

/* WCAG 2 relative luminance 0..1, and contrast 1..21 of two of them. */
double rgb_luminance(struct rgb c);
double rgb_contrast(double a, double b);

/*
 * Whether text on it is #111, white, or black: the first of them that has a
 * contrast of 4.5:1.
 */
enum rgb_text { RGB_TEXT_DARK, RGB_TEXT_WHITE, RGB_TEXT_BLACK };
enum rgb_text rgb_text_on(struct rgb c);

/* Somewhat darker, if #111 can still be read on it. */
struct rgb rgb_dimmed(struct rgb c);

/* Shades 1 and 2 are lighter, 3 is darker; text on them is as on shade 0. */
struct rgb rgb_shade(struct rgb c, int shade);

/*
 * A colour by its hue 0..360, saturation and lightness 0..1, the last raised
 * until dark text (#111) on it has a contrast of 4.5:1 and some more.
 */
struct rgb rgb_for_dark_text(double hue, double sat, double light);

/* `#rgb`, `#rrggbb` or `rgb(r,g,b)`. Returns 0, or -1. */
int rgb_parse(const char *s, size_t len, struct rgb *c);

#endif
