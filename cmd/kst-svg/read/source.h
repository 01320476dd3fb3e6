/* SPDX-License-Identifier: ISC */
/*
 * The lines of all operands, which can be read again from the start: files
 * are opened anew; what came from a pipe is kept, in memory at first, in a
 * temporary file (in $TMPDIR) when it is much.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdio.h>

#include "base/buf.h"
#include "io/in.h"

/* Open because faults are said once, with the file's name and line. */
struct source {
	struct in in;
	bool fresh;  /* the last line is given for the first time */
	bool failed; /* besides in.failed */
	/* private */
	char **operands;
	int n;
	bool again; /* all operands are files that can be opened anew */
	bool uses_stdin;
	off_t stdin_at; /* where the standard input began, if again */
	uint64_t line, lines_seen;
	/* lines kept, each with its LF, if not again: first these … */
	struct buf kept;
	size_t kept_at;
	FILE *tmp; /* … then these */
	bool keep_failed;
	char *tmp_line;
	size_t tmp_cap;
	uint64_t n_kept;
};

void source_init(struct source *s, char **operands, int n);
void source_done(struct source *s);

/* Where a source keeps a pipe that it has to read again. */
const char *source_folder(void);

/* The next line, as in_next() gives it. */
int source_next(struct source *s, const char **line, size_t *len);

/*
 * Starts again with the first line. Returns -1, after a message, when that
 * cannot be done.
 */
int source_rewind(struct source *s);

#endif
