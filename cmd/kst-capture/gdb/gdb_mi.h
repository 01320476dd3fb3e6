/* SPDX-License-Identifier: ISC */
/*
 * gdb's machine interface: one line a record, here a string. Format: the
 * chapter "GDB/MI Output Syntax" of gdb's manual.
 */
#ifndef GDB_MI_H
#define GDB_MI_H

#include "base/buf.h"

/*
 * Appends s as one quoted argument of a command whose argument gdb reads by
 * the rules of its command line: a backslash before a byte keeps it. A text
 * with line ends cannot be sent.
 */
void mi_quote(struct buf *b, const char *s);

/*
 * Appends the text of the string of MI at p, which begins with a quote.
 * Returns -1 when it does not end.
 */
int mi_unquote(const char *p, struct buf *out);

/* The string after `name=` in a record. Returns -1 if it is not there. */
int mi_value(const char *line, const char *name, struct buf *out);

struct sample;

/*
 * Completes the text of one `thread apply all bt`: the last line by LF. Counts
 * the stacks.
 */
void gdb_text_finish(struct sample *s);

#endif
