/* SPDX-License-Identifier: ISC */
/* How long pieces of time are if no option says it. */
#ifndef KST_LENGTH_H
#define KST_LENGTH_H

#include <stdbool.h>
#include <stdint.h>

/*
 * In ns: 1, 2 or 5 times a power of ten, so that the captures of all files make
 * up to 200 pieces, and no more than there are captures. own: up to 1000
 * captures, in files of up to 8 MiB, have a piece each, which tells what CPUs
 * did at one time. It is a second if a file cannot be read twice.
 */
uint64_t length_of_pieces(char **operands, int n, bool own);

#endif
