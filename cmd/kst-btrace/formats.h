/* SPDX-License-Identifier: ISC */
/* Gathers from histograms, bcc's output and bpftrace's JSON, for gather.c. */
#ifndef FORMATS_H
#define FORMATS_H

#include "gather.h"

/* Whether the line is the heading that bcc's output begins with. */
bool formats_bcc_heading(struct gather *g, const char *line, size_t len);

/* A line after it. */
void formats_bcc(struct gather *g, const char *line, size_t len);

/* In json.c: a line of JSON. */
bool json_is_line(const char *line, size_t len);
void formats_json(struct gather *g, const char *line, size_t len);

/* A line of a histogram, and its end: all its events are the stack's weight. */
void formats_hist(struct gather *g, const char *line, size_t len);
void formats_hist_end(struct gather *g);

/* In gather.c: passes a stack on; its map is g->map. */
void gather_give(
    struct gather *g, const char *key, size_t len, uint64_t weight);
void gather_fault(
    struct gather *g, enum gather_fault f, const char *p, size_t len);

/* Forgets what is open. */
void gather_reset(struct gather *g);

/* A line of a printf. */
void gather_text(struct gather *g, const char *line, size_t len);

/* Counts a message of the tracer; false if the line is not one. */
bool gather_took_message(struct gather *g, const char *line, size_t len);

/*
 * Keeps the keys that DTrace prints before a stack, as for
 * `@[execname, stack()]`, on a line of their own: two blanks, then columns with
 * two blanks or more between them. False if it is not such a line.
 */
bool formats_dtrace(struct gather *g, const char *line, size_t len);

#endif
