/* SPDX-License-Identifier: ISC */
/* Counts the stacks of trace text and folded text. */
#ifndef KST_PROFILE_H
#define KST_PROFILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "text/cpus.h"
#include "text/folded.h"
#include "io/fault.h"
#include "trace/stacks.h"
#include "profile/meanwhile.h"
#include "profile/origin.h"
#include "profile/pieces.h"

struct in;
struct table;

/* What --by puts in front of a stack. */
#define FOLD_ROOTS(X)            \
	X(BY_CPU, "cpu")         \
	X(BY_THREAD, "thread")   \
	X(BY_STATE, "state")     \
	X(BY_PROCESS, "process") \
	X(BY_TIME, "time")
enum root { FOLD_ROOTS(OPT_ID) BY_MAX };

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
	uint64_t piece;		/* with BY_TIME: nanoseconds, > 0 */
	enum trace_state state; /* STATE_UNKNOWN = all */
	struct limit from, to;
	bool needs_time; /* leave out captures without a time */
	bool mark_truncated;
	bool merge_unknown; /* frames without a name are `??`, and stay */
	bool keep_unknown;  /* frames without a name at gdb's roots stay */
	bool is_part;	    /* of a run: see origin.h */
	bool differential;  /* every line has two counts, the user says so */
	/*
	 * For trace text: after its name a frame has this, such as a tab, and
	 * `FILE:LINE`, or the library, where the text has them. struct fold has
	 * the frames' addresses. NULL: nothing.
	 */
	const char *places;
	/*
	 * For trace text: only stacks of captures in which another stack
	 * matches; without a pattern, all.
	 */
	struct patterns meanwhile;
	/*
	 * What makes a readable name of the linker's, such as
	 * demangle_plain(); not called here by itself, since not all commands
	 * have a demangler. NULL: names stay.
	 */
	int (*plain)(const char *name, size_t len, struct buf *out);
};

/*
 * How many frames a stack may have. A longer stack is a fault: in trace text it
 * loses its root side, in folded text it is lost.
 */
enum { FRAMES_MAX = 1 << 16 };

enum { FAULT_BAD_LINE, FAULT_DEEP, FAULT_OVERFLOW, FAULT_TRACKS, FAULT_MAX };

/* Whether --by asks for that root frame. */
bool fold_is_by(const struct fold_options *o, enum root root);

struct fold {
	struct fold_options *o;
	struct table *table;
	/* counted for the summary */
	uint64_t captures, stacks, left_out, truncated, no_cpu, no_state,
	    no_time;
	uint64_t folded_lines, one_count_lines;
	struct origin origin;
	struct pieces pieces;
	struct failures failures; /* by piece of time */
	struct fault faults[FAULT_MAX];
	/*
	 * Gets each stack of trace text, instead of the table: names, root
	 * first. It gets a stack without names when a capture with a time
	 * begins.
	 */
	void (*sink)(void *arg, const uint32_t *names, size_t n);
	void *sink_arg;
	/*
	 * The input is folded text in the order of table_write(), with equal
	 * stacks together and names as kst writes them. Sums are written as
	 * soon as they are complete, and the table stays empty. Lines that are
	 * not in order end the command, because what was written cannot be
	 * changed.
	 */
	bool sorted;
	size_t n_sorted; /* distinct stacks of it */
	/* private */
	struct stacks in;
	struct meanwhile meanwhile;
	uint64_t capture, first_time;
	struct origin_capture at; /* of the capture that is read */
	struct count weight;	  /* of the capture's stacks */
	bool has_first_time, capture_has_frames, capture_counted;
	bool stack_cut; /* it has too many frames */
	bool by_gdb;	/* no line of kst came before: gdb's own text */
	bool *nameless; /* by name: gdb's `0x1 in ?? ()` */
	size_t nameless_cap;
	struct buf scratch, last; /* line of folded text */
	struct intern *mangled;	  /* names of the linker; NULL: none yet */
	uint32_t *plain;	  /* what they became */
	size_t plain_cap;
	struct count sum;	/* of sorted text: of the last stack */
	uint32_t *frames, *key; /* the stack's names, leaf first */
	uint64_t *addresses;	/* of them, or 0 */
	size_t n_frames, frames_cap, key_cap, addresses_cap;
	uint32_t zero; /* the name `0x0`; UINT32_MAX: none yet */
};

/*
 * Private to common/profile. The CPU of the stack that is complete, or -1; and
 * a function that counts a stack.
 */
int64_t fold_cpu(const struct fold *f);
void fold_count(struct fold *f, struct in *in, const uint32_t *names, size_t n,
    int64_t cpu, bool truncated);

void fold_init(struct fold *f, struct fold_options *o, struct table *t);
void fold_done(struct fold *f);

/* After the last file, before the table is read. */
void fold_finish(struct fold *f);

/*
 * To be called afterwards: says what makes the sum wrong, and returns whether
 * anything does.
 */
bool fold_say_wrong(const struct fold *f);

/*
 * Fold the rest of the current file; return how many stacks and trailers it
 * had.
 */
uint64_t fold_trace(void *fold, struct in *in);
uint64_t fold_folded(void *fold, struct in *in);

#endif
