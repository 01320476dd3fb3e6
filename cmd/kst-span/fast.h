/* SPDX-License-Identifier: ISC */
/*
 * A short cut for the plain lines of a long trace: begins and ends without
 * arguments, on known tracks, with times like the one before. It gives what
 * event_parse() and pair_event(), which take all others, would.
 */
#ifndef FAST_H
#define FAST_H

#include "base/in.h"
#include "pair.h"

struct fast;

struct fast *fast_new(struct pair *p);
void fast_free(struct fast *f);

/* Learns from a line that went the long way; call it before fast_lines(). */
void fast_learn(struct fast *f, const struct event *e);

/*
 * Takes lines from `in` up to the first that it cannot. Only for folded text:
 * spans go into the tree, not to the sink. Returns whether a sum overflowed.
 */
bool fast_lines(struct fast *f, struct in *in);

#endif
