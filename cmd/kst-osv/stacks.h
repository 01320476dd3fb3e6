/* SPDX-License-Identifier: ISC */
/* Backtraces of binary records as trace text, for kst-sym and kst-fold. */
#ifndef STACKS_H
#define STACKS_H

#include <stddef.h>
#include <stdint.h>

struct record;

/* Writes the stack as capture number seq. */
void stack_put(
    const struct record *r, const uint64_t *frames, size_t n, uint64_t seq);

#endif
