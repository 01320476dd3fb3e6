/* SPDX-License-Identifier: ISC */
/*
 * The strip above the graph: time from left to right, a row for each CPU,
 * brighter where it was busier.
 */
#ifndef STRIP_H
#define STRIP_H

struct when;

/* How high it is, with its axis. */
double strip_height(const struct when *w);

/*
 * <g id="strip"> at y, `width` pixels wide from x on. The script stretches
 * the cells and draws the axis anew.
 */
void strip_put(const struct when *w, double x, double y, double width);

#endif
