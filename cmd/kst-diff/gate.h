/* SPDX-License-Identifier: ISC */
/* Limits on what may grow, and whether they are kept. */
#ifndef GATE_H
#define GATE_H

#include "measure.h"

struct buf;
struct rx;

enum { GATES_MAX = 64 }; /* with a pattern: one in struct profile each */

struct gate {
	const char *text; /* as the option has it */
	uint32_t key;	  /* of the profile; 0: every row */
	size_t what_len;  /* of the pattern, which the text begins with */
	enum kind kind;
	double limit; /* of the change: a share, or the ratio of costs */
	/* the result, of the key that is the farthest from a decision */
	double needed; /* > 0: open; this many times the data would decide */
	uint32_t open;
	struct change change;
};

/* A row that grew beyond a limit. */
struct violation {
	const struct gate *gate;
	uint32_t key; /* of the profile; the gate's, for a pattern */
	struct change change;
};

struct gates {
	struct gate v[GATES_MAX];
	size_t n;
	struct rx *patterns[GATES_MAX];
	uint32_t n_patterns;
	struct violation *bad;
	size_t n_bad, cap;
	size_t n_open;	   /* gates that could not be decided */
	struct code *code; /* if given, only its functions are judged */
};

/* An option's `call`. */
int gate_option(void *gates, const char *arg, struct buf *err);
void gates_done(struct gates *g);

/* Judges all gates; m is how the rows of the table are measured. */
void gates_judge(struct gates *g, const struct measure *m);

/*
 * The verdict, a line for each regression, the largest first, and each open
 * gate. Nothing if there is no gate.
 */
void gates_verdict(
    const struct gates *g, const struct measure *m, struct buf *b);

/*
 * `12600 samples on each side`; appends nothing if no number would decide.
 * Returns whether it asks for what can be had: not for more than 30 runs.
 */
bool gate_put_needed(
    const struct gate *g, const struct measure *m, struct buf *b);

/* The name of a key that it judged: its pattern, or a row's name. */
void gate_put_name(
    const struct gate *g, const struct measure *m, uint32_t key, struct buf *b);

#endif
