/* SPDX-License-Identifier: ISC */
#ifndef SORTED_H
#define SORTED_H

#include <stdbool.h>

/*
 * Whether an operand is a regular file of folded text that table_stream() may
 * take: every line as kst writes it, in order, with one count. Looks at no more
 * than the lines up to the first that is not. plain: two numbers are one count,
 * too.
 */
bool sorted_file(const char *path, bool plain);

#endif
