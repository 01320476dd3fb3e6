/* SPDX-License-Identifier: ISC */
/*
 * Reads folded text into a tree: sorted input in one pass, other input after
 * sorting it, and decides whether the input is differential.
 */
#ifndef READ_H
#define READ_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/buf.h"
#include "frames/weight.h"
#include "io/in.h"
#include "opts/opts.h"
#include "profile/pieces.h"
#include "text/trailer.h"

struct tree;

struct read_result {
	struct tree *tree;	  /* the caller's */
	bool differential;	  /* nodes have two weights */
	bool unsorted;		  /* nodes know where they were in the input */
	uint64_t n_stacks;	  /* lines that were stacks */
	bool failed;		  /* something was wrong, and has been said */
	struct trailer trailer;	  /* of all files, if they have one */
	struct failures failures; /* the caller's */
};

/* Reads all operands (none: the standard input). */
struct read_result read_folded(
    const struct svg_opts *o, char **operands, int n_operands);

/* In source.c -------------------------------------------------------------- */

/*
 * The lines of all operands, which can be read again from the start: files
 * are opened anew; what came from a pipe is kept, in memory at first, in a
 * temporary file (in $TMPDIR) when it is much. Open because faults are said
 * once, with the file's name and line.
 */
struct source {
	struct in in;
	bool fresh;  /* the last line is given for the first time */
	bool failed; /* besides in.failed */
	bool last;   /* set by the reader: it does not start again */
	/* private */
	char **operands;
	int n;
	bool again;	/* all operands are files that can be opened anew */
	off_t stdin_at; /* where the standard input began; -1: a pipe */
	uint64_t line, lines_seen;
	/* lines kept, each with its LF, if not again: first these … */
	struct buf kept;
	size_t kept_at;
	FILE *tmp; /* … then these */
	bool keep_failed;
	char *tmp_line;
	size_t tmp_cap;
};

void source_init(struct source *s, char **operands, int n);
void source_done(struct source *s);

/*
 * Opens the temporary file, if one may be needed for these operands; what comes
 * after it may do without the right to make one.
 */
void source_prepare(char **operands, int n);

/* The next line, as in_next() gives it. */
int source_next(struct source *s, const char **line, size_t *len);

/*
 * Starts again with the first line. Returns -1, after a message, when that
 * cannot be done.
 */
int source_rewind(struct source *s);

/* In sort.c ---------------------------------------------------------------- */

/* Collects stacks in any order and gives them back in bytewise order. */
struct sort;

struct sort *sort_new(void);
void sort_free(struct sort *s);

/* Adds a stack (copied). With reverse its frames are turned: leaf first. */
void sort_add(struct sort *s, const char *stack, size_t len, const weight w[2],
    bool reverse);

struct sorted {
	const char *p;
	size_t len;
	weight w[2];
	uint64_t first; /* how many different stacks were added before it */
};

/* Sorts; after that sort_next() gives the stacks. */
void sort_done(struct sort *s);

/* After sorting: the stacks have at least so many frames. */
size_t sort_frames(const struct sort *s);

/* The next stack, its text valid until the next call; false at the end. */
bool sort_next(struct sort *s, struct sorted *out);

#endif
