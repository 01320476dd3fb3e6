/* SPDX-License-Identifier: ISC */
/* Private to the room: fields of OSv's binary files, and arguments as text. */
#ifndef FIELDS_H
#define FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"

/* A tracepoint, whose texts are in the data; a damaged list may lack them. */
struct point {
	struct piece name, format;
	struct buf signature;
};

/* Bytes that are read from `at` on. */
struct cursor {
	const char *p;
	size_t at, len;
	size_t base; /* from where on fields are aligned, if they are */
	bool big, aligned;
	const char *wrong; /* when reading failed; NULL: the bytes ran out */
};

/*
 * n bytes, a number of `size` bytes, and a str. NULL or false if reading fails.
 */
const char *cursor_bytes(struct cursor *c, size_t n);
bool cursor_number(struct cursor *c, size_t size, uint64_t *v);

bool cursor_str(struct cursor *c, struct piece *text);

/* Writes the packed arguments to *text, as OSv's strace prints them. */
bool args_put(const struct point *pt, struct cursor *c, struct buf *text);

#endif
