/* SPDX-License-Identifier: ISC */
/* Opens the files of both sides. */
#ifndef OPEN_H
#define OPEN_H

#include <stdbool.h>
#include <stddef.h>

#include "sides/side.h"

/*
 * Starts the process that opens the files of all sides. Returns false after a
 * message.
 */
bool open_begin(const struct side s[4]);

/* Opens a file of the side with that number, unpacked; -1 after a message. */
int open_next(int side, size_t i);

/* Whether that file's unpacker, if it had one, took all; says why not. */
bool open_end(const char *path);

#endif
