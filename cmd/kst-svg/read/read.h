/* SPDX-License-Identifier: ISC */
/*
 * Reads folded text into a tree, and decides whether the input is differential.
 * Sorted input is read in one pass; other input comes from a table of its
 * stacks. Trace text is folded first.
 */
#ifndef READ_H
#define READ_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

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

/* In lines.c --------------------------------------------------------------- */

/*
 * The lines of all operands, which can be read again from the start: files are
 * opened once more, and what came from a pipe is kept in memory. Open, because
 * faults are reported once, with the file's name and line.
 */
struct lines {
	struct in in;
	bool fresh;	/* the last line is given for the first time */
	bool failed;	/* besides in.failed */
	bool last_pass; /* set by the reader: it does not start again */
	/* private */
	char **operands;
	int n;
	bool repeats;	/* all operands are files that can be opened anew */
	off_t stdin_at; /* where the standard input began; -1: a pipe */
	uint64_t line, seen;
	struct buf kept, last; /* of a pipe; last: the line given last */
	size_t kept_at;
};

void lines_init(struct lines *l, char **operands, int n);
void lines_done(struct lines *l);

/* The next line, as in_next() gives it; false at the end. */
bool lines_next(struct lines *l, const char **line, size_t *len);

/*
 * Starts again with the first line. Returns -1, after a message, if that is
 * impossible.
 */
int lines_rewind(struct lines *l);

/* In unsorted.c ------------------------------------------------------------ */

/* Stacks in any order, added up in kst-fold's table. */
struct unsorted;

struct unsorted *unsorted_new(void);
void unsorted_free(struct unsorted *u);

/*
 * Adds a stack (copied) with one or two counts; all stacks have equally many.
 * Returns -1 if a sum does not fit 64 bits: that count is left out.
 */
int unsorted_add(struct unsorted *u, const char *stack, size_t len,
    const struct count *counts, int n_counts);

/* How many frames the stacks have at least. */
size_t unsorted_frames(const struct unsorted *u);

/*
 * Gives the stacks in bytewise order, each with how many different stacks were
 * added before it. The text is valid until `take` returns. Afterwards u can
 * only be freed.
 */
typedef void unsorted_taker(void *arg, const char *stack, size_t len,
    const weight w[2], uint64_t place);
void unsorted_give(
    struct unsorted *u, bool leaf_first, unsorted_taker *take, void *arg);

/* In trace.c --------------------------------------------------------------- */

/*
 * Folds all files, of trace or folded text, as kst-fold does without options,
 * and gives each distinct stack, frames between `;`, in bytewise order. The
 * text is valid until `take` returns. *sum is what kst-fold's trailer says.
 * Returns false, after messages, if a file had no stack or the sum is wrong.
 */
typedef void trace_taker(
    void *arg, const char *stack, size_t len, const struct count *count);
bool trace_give(
    struct in *in, struct trailer *sum, trace_taker *take, void *arg);

#endif
