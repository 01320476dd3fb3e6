/* SPDX-License-Identifier: ISC */
/* How much text a packed file holds, without unpacking it. */
#ifndef PACKED_H
#define PACKED_H

#include <stdbool.h>
#include <stdint.h>

/* Whether the file begins as a packed one. */
bool packed_is(const char *path);

/*
 * Bytes of text in the file of `size` bytes: what its header or its end says of
 * it, else a guess; `size` when it is not packed or cannot be read. What a file
 * says may be wrong, so work can be shared out by it, but nothing be allotted.
 */
uint64_t packed_text(const char *path, uint64_t size);

#endif
