/* SPDX-License-Identifier: ISC */
/* From trace text and folded text to counted stacks. */
#ifndef FOLD_H
#define FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "text/cpus.h"
#include "base/fault.h"
#include "text/stacks.h"

struct in;
struct table;

/* What --by puts in front of a stack. */
enum root { BY_CPU, BY_THREAD, BY_STATE, BY_PROCESS, BY_MAX };

/* A limit of --from or --to. */
struct limit {
	bool given, seconds;
	uint64_t value; /* a capture number from 1, or nanoseconds */
};

struct fold_options {
	struct cpus cpus;
	enum root by[BY_MAX];
	size_t n_by;
	enum trace_state state; /* STATE_UNKNOWN = all */
	struct limit from, to;
	bool mark_truncated;
	bool differential; /* every line has two counts, the user says so */
};

/*
 * Frames that a stack may have. The root side of one with more is lost in
 * trace text, and all of it in folded text; both are counted as faults.
 */
enum { FRAMES_MAX = 1 << 16 };

enum { FAULT_BAD_LINE, FAULT_DEEP, FAULT_OVERFLOW, FAULT_TRACKS, FAULT_MAX };

struct fold {
	struct fold_options *o;
	struct table *table;
	/* counted for the summary */
	uint64_t captures, stacks, left_out, truncated, no_cpu, no_state,
	    no_time;
	uint64_t folded_lines, one_count_lines;
	struct fault faults[FAULT_MAX];
	/* private */
	struct stacks in;
	uint64_t capture, time, first_time;
	bool has_time, has_first_time, capture_has_frames;
	bool stack_cut;		  /* it has too many frames */
	struct buf scratch, last; /* line of folded text */
	uint32_t *frames, *key;	  /* the stack's names, leaf first */
	size_t n_frames;
};

void fold_init(struct fold *f, struct fold_options *o, struct table *t);
void fold_done(struct fold *f);

/* Options: --by, into struct fold_options; --from and --to, into a limit. */
#define FOLD_BY_WORDS "cpu thread state process"
int fold_by_option(void *options, const char *arg, struct buf *err);
int fold_limit_option(void *limit, const char *arg, struct buf *err);

/* What the user asked for and the input did not have. */
void fold_say_missing(const struct fold *f);
void fold_say_summary(const struct fold *f);
/* The counts of --summary-fd. */
void fold_summarize(const struct fold *f, const struct in *in);

/* Fold the lines of the current file, up to its end; how many stacks it had. */
uint64_t fold_trace(struct fold *f, struct in *in);
uint64_t fold_folded(struct fold *f, struct in *in);

#endif
