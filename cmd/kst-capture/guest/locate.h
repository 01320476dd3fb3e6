/* SPDX-License-Identifier: ISC */
/* Private to the room: whether a file's code is in memory, and where. */
#ifndef LOCATE_H
#define LOCATE_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/images.h"

struct elfsym;
struct reader;

/* How code in memory compares with that of a file. */
struct likeness {
	int places, equal; /* that could be read; that are as in the file */
};

/* The bytes around a program counter. */
struct around {
	const struct reader *r;
	uint64_t addr;
	uint8_t bytes[IMAGES_AROUND];
};

/*
 * Whether the code is where the symbols say that it is. Half of the places are
 * enough, because a kernel that patches its code differs here and there. A file
 * without code fits.
 */
bool locate_fits(
    struct elfsym *sym, const struct reader *r, struct likeness *l);

int locate_look(struct around *a, uint64_t pc, const struct reader *r);

/*
 * Moves the symbols to where the bytes show that the image is. Returns false,
 * with nothing changed, if they do not show it. A `program` must have its
 * build-id in the right place, if that can be read.
 */
bool locate(struct elfsym *sym, const struct around *a, bool program);

/*
 * Whether the whole page around these bytes is one of the file's code, which
 * begins at *at, or is as memory has that. *hidden: one may be, but memory
 * could not be read there.
 */
bool locate_page(
    struct elfsym *sym, const struct around *a, uint64_t *at, bool *hidden);

/*
 * Moves the symbols of a program to where it was found before. Returns whether
 * it is there now, as another program may be.
 */
bool locate_is_at(
    struct elfsym *sym, uint64_t bias, uint64_t pc, const struct around *a);

#endif
