/* SPDX-License-Identifier: ISC */
/*
 * The lines of all operands, which can be read again from the start: files
 * are opened anew; what came from a pipe is kept, in memory at first, in a
 * temporary file (in $TMPDIR) when it is much.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>

struct source;
struct in;

struct source *source_new(char **operands, int n);
void source_free(struct source *s);

/* The next line, as in_next() gives it. */
int source_next(struct source *s, const char **line, size_t *len);

/*
 * Starts again with the first line. Returns -1, after a message, when that
 * cannot be done.
 */
int source_rewind(struct source *s);

/* Whether the last line is given for the first time; faults are said then. */
bool source_is_new(const struct source *s);

/* The input, for messages about a line that is new. */
const struct in *source_in(const struct source *s);

bool source_failed(const struct source *s);

#endif
