/* SPDX-License-Identifier: ISC */
/* Numbers as the picture shows them, on the output (out.h). */
#ifndef NUMBER_H
#define NUMBER_H

#include "weight.h"

/* Exact, with commas between thousands: `12,345.5`. */
void number_put(weight w);

struct buf;

/* The same into a buffer. */
void number_add(struct buf *b, weight w);

/* part of whole in percent; 0 of 0 is 0, and 100 the most. */
double number_percent(double part, double whole);

/* `12.34%`: never above 100; 0 of 0 is 0. */
void number_put_percent(double part, double whole);

/* A length in pixels, to two places at most: `12`, `12.5`. */
void number_put_px(double v);

/* Writes a format in which each `~` stands for the next length in pixels. */
#define px_printf(format, ...) \
	number_put_all_px(format, (const double[]){__VA_ARGS__})
void number_put_all_px(const char *format, const double *v);

#endif
