/* SPDX-License-Identifier: ISC */
/* Functions whose own code differs between two kernels, as kst-sym says. */
#ifndef CODE_H
#define CODE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "text/folded.h"

/* How a function's code differs; NULL in a row: it does not. */
struct code_func {
	const char *how;   /* differs, added, removed */
	const char *plain; /* its readable name */
	const char *place; /* `runs at sched.c:135`, `sched.c:135`; or NULL */
	bool ran;	   /* a row has it, or, with --per-call, calls */
	/* With --per-call: what it ran, and as profile_call has it. */
	struct count self[2];
	double jumped[2];
};

struct code {
	char *text;
	struct code_func *v;
	size_t n, cap;
	struct code_name {
		const char *name;
		size_t func;
	} * names; /* sorted; a function may have two */
	size_t n_names, cap_names;
};

/* Asks kst-sym; `files` is OLD,NEW. Returns -1 after a message. */
int code_ask(struct code *c, const char *files);
void code_done(struct code *c);

/* The function of that name; NULL: its code is equal. */
struct code_func *code_find(struct code *c, const char *name);

/* What a profile shows of functions that have no row. */
enum code_missed { CODE_NOT_RUN, CODE_NO_SAMPLE };

/*
 * Adds a line of those whose `ran` is not set, `3 functions whose code differs
 * never ran: a, b, c`, or of samples, which do not show that, `were in no
 * sample: a, b, c`; nothing: there are none. Each has its place,
 * ` (sched.c:135)`.
 */
void code_rest(const struct code *c, enum code_missed how, struct buf *b);

/*
 * The same of those that ran without a call, as a label does, and what a tail
 * call leads to: `1 function whose code differs was entered by jumps only: a
 * (sched.c:135), 600 instructions (500 before)`.
 */
void code_jumps(const struct code *c, const char *unit, struct buf *b);

/*
 * Whether such a function costs more than before, in as many calls of its
 * callers.
 */
bool code_is_dearer(const struct code_func *f);

#endif
