/* SPDX-License-Identifier: ISC */
/*
 * gdb's machine interface: one line a record. Format: the chapter "GDB/MI
 * Output Syntax" of gdb's manual.
 */
#ifndef GDB_MI_H
#define GDB_MI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

enum mi_kind {
	MI_OTHER,
	MI_RESULT,  /* `^done`, with the token of the command before it */
	MI_EXEC,    /* `*stopped`, `*running` */
	MI_NOTIFY,  /* `=thread-group-exited` ... */
	MI_CONSOLE, /* `~"text"` */
	MI_LOG	    /* `&"text"` */
};

/* Texts point into the line. */
struct mi_record {
	enum mi_kind kind;
	bool has_token;
	unsigned long token;
	const char *class; /* of a result, exec or notify: `done`, `stopped` */
	size_t class_len;
	const char *rest; /* what follows the class: `,reason="..."` */
	size_t rest_len;  /* of console and log: the string with its quotes */
};

/* Judges a line without LF. */
void mi_parse(const char *line, size_t len, struct mi_record *r);

bool mi_is(const struct mi_record *r, enum mi_kind kind, const char *class);

/*
 * Appends s as one quoted argument of a command whose argument gdb reads by
 * the rules of its command line: a backslash before a byte keeps it. Returns
 * -1, with nothing appended, for a text with line ends: it cannot be sent.
 */
int mi_quote(struct buf *b, const char *s);

/*
 * Appends the text of the string of MI at p, which begins with a quote.
 * Returns -1 when it does not end.
 */
int mi_unquote(const char *p, size_t len, struct buf *out);

/* The string after `name=` in a record's rest. Returns -1 if it is not there.
 */
int mi_value(const struct mi_record *r, const char *name, struct buf *out);

struct sample;

/*
 * Completes the text of one `thread apply all bt`, printed under a backtrace
 * limit of `frames_max`: a stack that has reached the limit is followed by a
 * line `Backtrace stopped:`, the last line by LF. Counts the stacks.
 */
void gdb_text_finish(struct sample *s, int frames_max);

#endif
