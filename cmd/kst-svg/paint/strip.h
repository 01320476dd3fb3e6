/* SPDX-License-Identifier: ISC */
/* Time from left to right: an axis, and the strip above the graph. */
#ifndef STRIP_H
#define STRIP_H

struct when;

enum { AXIS_HEIGHT = 18 };

/*
 * Draws ticks from lo to hi counts over `width` pixels from x on, at y.
 * countname: a unit of time (ns, us, ms, s …) is written with each tick.
 */
void axis_put(double x, double y, double width, double lo, double hi,
    const char *countname);

/* How high the strip is, with its axis. */
double strip_height(const struct when *w);

/*
 * <g id="strip"> at y, `width` pixels wide from x on: a row for each CPU,
 * brighter where it was busier. The script stretches the cells and draws the
 * axis anew.
 */
void strip_put(const struct when *w, double x, double y, double width);

#endif
