/* SPDX-License-Identifier: ISC */
/* Cleans a whole input, line by line, and applies rules for whole stacks. */
#ifndef CLEAN_H
#define CLEAN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "io/fault.h"
#include "trace/stacks.h"

struct in;
struct memo_entry;
struct names;

/*
 * How many frames of a stack are collected; a longer stack is written without
 * stack rules.
 */
enum { STACK_MAX = 1 << 16 };

/* The first is the leaf in trace text, the root in folded text. */
struct stack {
	struct stack_frame {
		size_t at; /* of its name */
		uint32_t len, value;
	} * frames;
	size_t n, cap;
	struct buf names;
};

void stack_clear(struct stack *s);

/* Adds a frame; false if there are too many or their names are too long. */
bool stack_add(struct stack *s, const struct memo_entry *n);

/* Writes the frames, numbered from 0 or between `;`, and clears them. */
void stack_put(struct stack *s, bool folded);

/*
 * Applies the frames' flags and, if asked, takes unknown frames off the root
 * side (one stays if there are no others). Returns false if the stack is
 * dropped, or nothing of it is left.
 */
bool stack_apply(struct stack *s, bool leaf_first, bool trim_unknown);

/*
 * Of a frame's value: it is the part of a function that GCC has split off,
 * `f.part.0`. Where f calls it, the two are one frame, and not a recursion.
 */
enum { CLEAN_PART = 0x400 };

enum { CLEAN_BAD_LINE, CLEAN_DEEP, CLEAN_LIMIT, CLEAN_FAULTS };

struct clean {
	struct names *names;
	bool by_stack;	   /* there are rules for whole stacks */
	bool trim_unknown; /* implies by_stack */
	bool renumber;	   /* implied by by_stack: frames may go */
	bool no_tails;	   /* implies renumber; frames of tail calls go */
	bool lines; /* implies renumber; the leaf's line is one more frame */
	/* counted for the summary */
	uint64_t stacks, frames, truncated, dropped, noise;
	struct fault faults[CLEAN_FAULTS];
	/* private */
	struct stacks in;
	struct memo *folded; /* of the frames in folded text */
	struct stack stack;
	struct buf line; /* FILE:LINE of the frame that came last, or empty */
	struct buf part; /* the name of the frame before, if it is a part */
	const char *before; /* in folded text: the frame before; NULL: none */
	size_t before_len;
	bool no_run;	      /* of the frame after the leaf, or the leaf */
	uint64_t before_leaf; /* frames before this stack's */
	bool was_dropped;
	bool as_it_comes; /* the stack's frames are written, not collected */
	/* of a stack that is written frame by frame: */
	uint64_t written;	      /* frames, but of run */
	const struct memo_entry *run; /* frames after its first, or NULL */
	size_t run_at;	  /* where these begin in the output's buffer ... */
	uint64_t flushed; /* ... unless it was flushed since */
};

/* To be called once, with everything zero except names and options. */
void clean_init(struct clean *c);
void clean_done(struct clean *c);

/* Clean the rest of the current file; return how many stacks it had. */
uint64_t clean_trace(void *clean, struct in *in);
uint64_t clean_folded(void *clean, struct in *in);

/*
 * Takes ` at FILE:LINE` off the end of a frame's text, and makes b the file's
 * name and the line; empty: there is none.
 */
size_t clean_take_line(struct buf *b, const char *p, size_t len);

/* The clean name of a frame in folded text, or of a line. */
const struct memo_entry *clean_frame_name(
    struct clean *c, struct in *in, const char *p, size_t len);

/* Writes the collected frames, and all later ones of the stack, unchanged. */
void clean_give_up(struct clean *c, struct in *in, bool folded);

/* The counts for --summary-fd and, with `say`, as a message. */
void clean_summarize(const struct clean *c, const struct in *in, bool say);

#endif
