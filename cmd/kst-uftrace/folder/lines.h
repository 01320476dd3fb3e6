/* SPDX-License-Identifier: ISC */
/* Reads the text files of a folder, line by line. */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>

struct fault;

/* DIR/NAME, to be freed. */
char *lines_path(const char *dir, const char *name);

/* Whether a file exists. If that cannot be found out, it is reported. */
bool lines_has(const char *dir, const char *name);

/*
 * Gives take() the lines of a file, which it may change: without CR, up to a
 * NUL, and not empty ones and comments. A line that it does not take is a fault
 * `WRONG: 'LINE'`, unless bad is NULL. Returns whether the file could be read.
 */
typedef bool lines_take(void *arg, char *line);
bool lines_read(const char *dir, const char *name, lines_take *take, void *arg,
    struct fault *bad, const char *wrong);

#endif
