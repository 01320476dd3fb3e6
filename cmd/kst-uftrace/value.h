/* SPDX-License-Identifier: ISC */
/* Arguments and results as text. */
#ifndef VALUE_H
#define VALUE_H

struct buf;
struct dat;

/*
 * Appends the value of `size` bytes at p in d's byte order; fmt is its spec's
 * letter, or `d`. Structs and numbers of unknown size show no bytes.
 */
void value_put(
    struct buf *b, const struct dat *d, char fmt, unsigned size, const char *p);

#endif
