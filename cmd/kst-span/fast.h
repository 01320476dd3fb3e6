/* SPDX-License-Identifier: ISC */
/*
 * A short cut for most lines of a long trace: begins and ends with known names
 * and tracks, and times like the one before. It gives what event_parse() and
 * pair_event(), which take all others, would.
 */
#ifndef FAST_H
#define FAST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/in.h"
#include "pair.h"

struct fast;

/* Spans go into the tree's sums, or with to_sink to the sink. */
struct fast *fast_new(struct pair *p, bool to_sink);
void fast_free(struct fast *f);

/* Learns from a line that went the long way; call it before fast_lines(). */
void fast_learn(struct fast *f, const struct event *e);

/*
 * Takes lines from `in` up to the first that it cannot. Returns
 * whether one of the tree's sums overflowed.
 */
bool fast_lines(struct fast *f, struct in *in);

/*
 * Reads all files and closes the spans that are open. Spans go to the sink, or
 * into the tree's sums: then *overflow becomes true if one is too large.
 * Returns how many faults there were.
 */
uint64_t fast_read(struct in *in, struct pair *p, bool to_sink, bool *overflow);

#endif
