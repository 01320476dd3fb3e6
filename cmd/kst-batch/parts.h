/* SPDX-License-Identifier: ISC */
/*
 * Where text may be cut so that the folded texts of the parts add up to that
 * of the whole.
 */
#ifndef PARTS_H
#define PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/shape.h"
#include "text/trace.h"

/*
 * Whether a part may begin with the line, given without LF. To be asked of
 * all lines in a row, the first of which may have lost its beginning: it is
 * no border then, which the caller knows.
 */
bool parts_border(
    struct trace_reader *r, enum shape shape, const char *line, size_t len);

/* More parts than this are not made of a file. */
enum { PARTS_MAX = 1 << 14 };

/*
 * Finds the begins of the parts of a file of plain text, about `block` bytes
 * each: offsets[0] = 0, which the caller frees; returns their number.
 */
size_t parts_find(const char *path, uint64_t size, uint64_t block,
    enum shape shape, uint64_t **offsets);

#endif
