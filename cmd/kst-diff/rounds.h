/* SPDX-License-Identifier: ISC */
/* A gate that is judged again after each further run, up to a last one. */
#ifndef ROUNDS_H
#define ROUNDS_H

#include <stddef.h>

struct buf;

/*
 * How many files side B has at the first look and at the last. 0: there is one
 * look.
 */
struct rounds {
	size_t first, last;
};

/* An option's `call`: `3-9`. */
int rounds_option(void *rounds, const char *arg, struct buf *err);

/*
 * The level of the look with `now` files after and so many before, such that
 * all looks together are wrong in at most 5 %. first <= now <= last.
 */
double rounds_level(const struct rounds *r, size_t before, size_t now);

#endif
