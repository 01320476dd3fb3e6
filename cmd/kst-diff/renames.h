/* SPDX-License-Identifier: ISC */
/* Functions that may have been renamed. */
#ifndef RENAMES_H
#define RENAMES_H

#include <stddef.h>

struct measure;
struct row;

/*
 * In renames.c, for rows of functions: makes two that are perhaps one renamed
 * function one row, the old name's. Returns how many rows are left.
 */
size_t measure_renames(const struct measure *m, struct row *rows, size_t n);

#endif
