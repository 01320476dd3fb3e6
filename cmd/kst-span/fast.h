/* SPDX-License-Identifier: ISC */
/*
 * A short cut for the plain lines of a long trace: begins and ends without
 * arguments, of known tracks, with times like the one before. Everything else
 * is left to event_parse() and pair_event(), which give the same result.
 */
#ifndef FAST_H
#define FAST_H

#include "base/in.h"
#include "pair.h"

struct fast;

struct fast *fast_new(struct pair *p);
void fast_free(struct fast *f);

/* Learns from a line that went the long way, before the next fast_lines(). */
void fast_learn(struct fast *f, const struct event *e);

/*
 * Takes as many lines from in as it can; stops before the first that it
 * cannot. Only for folded text: spans go into the tree, not to the sink.
 * Returns whether a sum overflowed.
 */
bool fast_lines(struct fast *f, struct in *in);

#endif
