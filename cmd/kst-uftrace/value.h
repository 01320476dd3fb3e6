/* SPDX-License-Identifier: ISC */
/* An argument or result of a call as text. */
#ifndef VALUE_H
#define VALUE_H

struct buf;
struct dat;

/*
 * Appends the value of `size` bytes at p, in the byte order of d; fmt is the
 * letter of its spec, `d` where that does not say. The bytes of a struct, and
 * of a number of a size that is not known, are not shown.
 */
void value_put(
    struct buf *b, const struct dat *d, char fmt, unsigned size, const char *p);

#endif
