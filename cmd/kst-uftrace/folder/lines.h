/* SPDX-License-Identifier: ISC */
/* The text files of a folder, line by line and word by word. */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fault;

/* DIR/NAME, to be freed. */
char *lines_path(const char *dir, const char *name);

/* Whether a file is there; a failure to find out is reported. */
bool lines_has(const char *path);

/*
 * Gives take() the lines of a file, without CR, but for empty ones and
 * comments. One that it does not take is a fault `WRONG: 'LINE'`, unless bad is
 * NULL. Returns whether the file could be read.
 */
typedef bool lines_take(void *arg, const char *line, size_t len);
bool lines_read(char *path, lines_take *take, void *arg, struct fault *bad,
    const char *wrong);

/* The next word between blanks; false at the end of the line. */
bool word_next(const char **p, const char *end, const char **w, size_t *len);

/* The next word as a hexadecimal number, with or without 0x. */
bool word_hex(const char **p, const char *end, uint64_t *v);

#endif
