/* SPDX-License-Identifier: ISC */
/* Numbers and counts as the picture shows them. */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>

#include "frames/weight.h"

struct buf;
struct trailer;

/* Appends it exactly, with commas between thousands: `12,345.5`. */
void number_add(struct buf *b, weight w);

/*
 * The share of part in whole, in percent. 0 of 0 is 0; the result is at most
 * 100.
 */
double number_percent(double part, double whole);

/* Writes a number from 0 to 100 as printf() does with `%.2f`, but faster. */
void number_put_hundredths(double v);

/*
 * Writes or appends a format in which each `~` stands for the next length in
 * pixels, with at most two decimals: `12`, `12.5`. A picture has many of them,
 * and printf() is slow.
 */
#define px_printf(format, ...) \
	number_put_px(format, (const double[]){__VA_ARGS__})
#define px_add(b, format, ...) \
	number_add_px(b, format, (const double[]){__VA_ARGS__})
void number_put_px(const char *format, const double *v);
void number_add_px(struct buf *b, const char *format, const double *v);

/*
 * Whether counts of that name are exact, such as times and bytes, or samples.
 */
bool number_is_exact(const char *countname);

/* Appends a point on an axis of such counts: `1.5 ms`, `20`. */
void number_add_tick(struct buf *b, double v, const char *countname);

/*
 * Appends a count with its unit: `1.25 ms`, `3.4 MiB`, `1,234 samples`. Times
 * and bytes have four digits.
 */
void number_add_unit(struct buf *b, weight w, const char *countname);

/*
 * Appends what the trailer of folded text says about its counts, as far as it
 * is known: `5,630 samples at 99 Hz on 4 CPUs, guest stopped 1.8% of 57 s, 0.2%
 * of stacks cut`.
 */
void number_add_origin(struct buf *b, const struct trailer *t);

/*
 * Appends what the trailer says, in the form for a title: `, 4 CPUs, 57 s,
 * 5,630 samples`.
 */
void number_add_title(struct buf *b, const struct trailer *t);

#endif
