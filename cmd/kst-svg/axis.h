/* SPDX-License-Identifier: ISC */
/* An axis of time, below a chart and a strip. */
#ifndef AXIS_H
#define AXIS_H

enum { AXIS_HEIGHT = 18 };

/*
 * Draws ticks from lo to hi counts over `width` pixels from x on, at y.
 * countname: a unit of time (ns, us, ms, s …) is written with each tick.
 */
void axis_put(double x, double y, double width, double lo, double hi,
    const char *countname);

#endif
