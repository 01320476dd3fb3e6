/* SPDX-License-Identifier: ISC */
/*
 * Weights of frames as exact fixed-point numbers: units of 10^-18 in 128 bits,
 * which can hold every struct count. A sum is exact as long as its whole part
 * fits 64 bits. The builder checks the total, and no other sum is greater.
 */
#ifndef WEIGHT_H
#define WEIGHT_H

#include "text/folded.h"

#ifndef __SIZEOF_INT128__
#error \
    "kst-svg adds up in 128 bits, which this compiler has for 64-bit machines"
#endif

__extension__ typedef unsigned __int128 weight;

#define WEIGHT_ONE ((weight)1000000000000000000u)

/* The first weight that is too large: 2^64 units of one. */
#define WEIGHT_END (WEIGHT_ONE << 64)

static inline weight
weight_of(const struct count *c)
{
	return (weight)c->whole * WEIGHT_ONE + c->frac;
}

/* Faster than 128 bits by 128 bits. */
static inline weight
weight_div(weight w, weight unit)
{
	return w >> 64 ? w / unit : (uint64_t)w / (uint64_t)unit;
}

static inline struct count
weight_count(weight w)
{
	uint64_t whole = (uint64_t)weight_div(w, WEIGHT_ONE);

	return (struct count){whole, (uint64_t)(w - whole * WEIGHT_ONE)};
}

/* As a rounded number of ones. */
static inline double
weight_double(weight w)
{
	return (double)w * 1e-18;
}

#endif
