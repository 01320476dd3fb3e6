/* SPDX-License-Identifier: ISC */
/* Opens the files of both sides. */
#ifndef OPEN_H
#define OPEN_H

#include <stdbool.h>
#include <stddef.h>

#include "sides/side.h"

/*
 * Starts the process that opens the files of both sides. Returns false after a
 * message.
 */
bool open_begin(const struct side s[2]);

/* Opens a file of side 0 or 1, unpacked; -1 after a message. */
int open_next(int side, size_t i);

/* Whether that file's unpacker, if it had one, took all; says why not. */
bool open_end(const char *path);

#endif
