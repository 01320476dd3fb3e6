/* SPDX-License-Identifier: ISC */
/*
 * Text that crosses a shell, a line or a table unharmed: option strings taken
 * apart without a shell, and names with every strange byte as %XX.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* A list of strings, each on the heap; v[n] is NULL. */
struct words {
	char **v;
	size_t n;
};

void words_add(struct words *w, const char *s);
void words_done(struct words *w);

/*
 * Appends the words of a text, split as a shell splits them: blanks, '...',
 * "..." and backslashes, but nothing is ever expanded or run. Returns 0, or
 * -1 when a quote is not closed.
 */
int words_split(struct words *w, const char *text);

/*
 * Appends s with controls, `%` and, when `strict`, everything but letters,
 * digits and `._/-` as %XX.
 */
void text_encode(struct buf *b, const char *s, size_t len, bool strict);

/* Undoes text_encode() in place; returns the length, NUL-terminated. */
size_t text_decode(char *s);

/* Cuts the field at *p off at `sep` (or the end); NULL when none is left. */
char *text_field(char **p, char sep);

#endif
