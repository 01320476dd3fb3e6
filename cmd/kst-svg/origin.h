/* SPDX-License-Identifier: ISC */
/* What the trailer of folded text says of its counts, for people. */
#ifndef ORIGIN_H
#define ORIGIN_H

#include <stdbool.h>

#include "weight.h"

struct buf;
struct trailer;

/*
 * Appends `5,630 samples at 99 Hz on 4 CPUs, guest stopped 1.8% of 57 s, 0.2%
 * of stacks cut`, as far as it is known.
 */
void origin_add(struct buf *b, const struct trailer *t);

/* Whether counts of that name are exact: times and bytes, not samples. */
bool origin_is_exact(const char *countname);

/* The nanoseconds of a unit of time; 0 for other counts. */
double origin_unit_ns(const char *countname);

/*
 * Appends a count with its unit: `1.25 ms`, `3.4 MiB`, `1,234 samples`. Times
 * and bytes have four digits.
 */
void origin_add_count(struct buf *b, weight w, const char *countname);

#endif
