/* SPDX-License-Identifier: ISC */
/*
 * How often which code was executed on which stack: numbers that are kept in
 * few bytes, since there are millions.
 */
#ifndef PAIRS_H
#define PAIRS_H

#include <stddef.h>
#include <stdint.h>

/* `max` and the numbers of stacks are at most this. */
enum { PAIRS_BITS = 24, PAIRS_MAX = (1 << PAIRS_BITS) - 1 };

#define PAIRS_NONE UINT32_MAX

/*
 * The number of a pair: 0, 1, 2 … in the order in which they are made. One that
 * does not exist is made if there are less than `max`, else it is PAIRS_NONE.
 */
uint32_t pairs_find(uint32_t stack, uint32_t code, size_t max);

size_t pairs_size(void);
uint32_t pairs_stack(uint32_t pair);
uint32_t pairs_code(uint32_t pair);

/* Adds to a pair's count, modulo 2^64. */
void pairs_add(uint32_t pair, uint64_t n);

/* The count, which is 0 from now on. A negative one is 0 and stays. */
uint64_t pairs_take(uint32_t pair);

#endif
