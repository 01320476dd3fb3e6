/* SPDX-License-Identifier: ISC */
/* How long pieces of time are where nobody says it. */
#ifndef LENGTH_H
#define LENGTH_H

#include <stdint.h>

/*
 * In ns: 1, 2 or 5 of a power of ten, so that the captures of all files make
 * up to 200 pieces, and no more than there are captures; a second where a file
 * cannot be read twice.
 */
uint64_t length_of_pieces(char **operands, int n);

#endif
