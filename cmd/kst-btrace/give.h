/* SPDX-License-Identifier: ISC */
/*
 * Passes on the text that gather.c collects. Stacks get histograms, empty lines
 * and DTrace's keys as their weights; messages and faults are counted.
 */
#ifndef GIVE_H
#define GIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gather.h"

/* The struct is zero but for the options and the input. */
void gather_init(struct gather *g);

void gather_done(struct gather *g);

/*
 * A line of a histogram, and its end. The sum of its events is the stack's
 * weight.
 */
bool formats_hist(struct gather *g, const char *line, size_t len);
void formats_hist_end(struct gather *g);

/* Adds the stack that the first `len` bytes of g->key are. */
void gather_give(struct gather *g, size_t len, uint64_t weight);
void gather_fault(
    struct gather *g, enum gather_fault f, const char *p, size_t len);

/* Appends to the stack's text as far as there is room. */
static inline void
gather_key(struct gather *g, const char *p, size_t len)
{
	if (g->key.len + len < KEY_MAX) {
		buf_add(&g->key, p, len);
	} else if (!g->too_long) {
		g->too_long = true;
		gather_fault(g, GATHER_TOO_LONG, NULL, 0);
	}
}

static inline void
gather_key_line(struct gather *g, const char *p, size_t len)
{
	gather_key(g, p, len);
	if (g->key.len < KEY_MAX)
		buf_addc(&g->key, '\n');
}

/* Forgets the open stack. */
void gather_reset(struct gather *g);

/* Counts a message of the tracer. False if the line is not a message. */
bool gather_took_message(struct gather *g, const char *line, size_t len);

/*
 * To be called when empty lines end: at a sample's first frame, at another line
 * (the next sample is the first of a run), or at the file's end. Gives the
 * samples without frames.
 */
void formats_gap(struct gather *g);
void formats_gap_break(struct gather *g);
void formats_gap_end(struct gather *g);

/*
 * Keeps the keys that DTrace prints before a stack, as for `@[execname,
 * stack()]`. They are on a line of their own: two blanks, then columns with two
 * blanks or more between them. After an empty line, such a line is an empty
 * stack with keys after it, if other stacks had that form. False if the line
 * has another form.
 */
bool formats_dtrace(struct gather *g, const char *line, size_t len, char after);

/*
 * Adds the keys after a stack of DTrace's, as for `@[stack(), execname]`, a
 * trimmed line. A number at its end is the weight unless a frame follows. An
 * empty line comes before each new entry. False if the line has another form.
 */
bool formats_dtrace_keys(struct gather *g, const char *line, size_t len);

#endif
