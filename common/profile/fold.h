/* SPDX-License-Identifier: ISC */
/* From trace text and folded text to counted stacks. */
#ifndef KST_FOLD_H
#define KST_FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "text/cpus.h"
#include "base/fault.h"
#include "text/stacks.h"
#include "profile/origin.h"

struct in;
struct table;

/* What --by puts in front of a stack. */
enum root { BY_CPU, BY_THREAD, BY_STATE, BY_PROCESS, BY_MAX };

/* A limit of --from or --to. */
struct limit {
	bool given, seconds;
	uint64_t value; /* a capture number from 1, or nanoseconds */
};

/* Which stacks are counted, and with which root frames. */
struct fold_options {
	struct cpus cpus;
	enum root by[BY_MAX];
	size_t n_by;
	enum trace_state state; /* STATE_UNKNOWN = all */
	struct limit from, to;
	bool mark_truncated;
	bool merge_unknown; /* frames without a name are `??` */
	bool is_part;	    /* of a run: see origin.h */
	bool differential;  /* every line has two counts, the user says so */
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
	struct origin origin;
	struct fault faults[FAULT_MAX];
	/* private */
	struct stacks in;
	uint64_t capture, first_time;
	struct origin_capture at; /* of the capture that is read */
	bool has_first_time, capture_has_frames, capture_counted;
	bool stack_cut;		  /* it has too many frames */
	struct buf scratch, last; /* line of folded text */
	uint32_t *frames, *key;	  /* the stack's names, leaf first */
	size_t n_frames;
};

void fold_init(struct fold *f, struct fold_options *o, struct table *t);
void fold_done(struct fold *f);

/*
 * Fold the lines of the current file, up to its end; return how many stacks
 * and trailers it had.
 */
uint64_t fold_trace(struct fold *f, struct in *in);
uint64_t fold_folded(struct fold *f, struct in *in);

#endif
