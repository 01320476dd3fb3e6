/* SPDX-License-Identifier: ISC */
/* The time axis below a chart. */
#ifndef AXIS_H
#define AXIS_H

/*
 * Draws ticks for 0 to `whole` counts over `width` pixels from x on, at y.
 * countname: a unit of time (ns, us, ms, s …) is written with each tick.
 */
void axis_put(
    double x, double y, double width, double whole, const char *countname);

/* How high it is. */
enum { AXIS_HEIGHT = 18 };

#endif
