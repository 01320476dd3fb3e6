/* SPDX-License-Identifier: ISC */
/*
 * Which part of a trace is wanted: a range of time, to which spans are cut,
 * functions with what they call, and spans that last long enough.
 */
#ifndef KST_WANT_H
#define KST_WANT_H

#include <stdbool.h>
#include <stdint.h>

#include "text/range.h"

struct event;
struct pair;
struct rx;
struct span;
struct track;

struct want {
	struct range range;
	uint64_t min;		     /* ns; 0: not given */
	struct rx *filter, *notrace; /* of names, or NULL */
};

/* Whether anything is asked for. */
bool want_any(const struct want *w);
void want_done(struct want *w);

/*
 * Decides about an event at *now, which is then cut to the range. Returns true
 * if the event is left out.
 */
bool want_skips(
    struct want *w, struct track *t, const struct event *e, uint64_t *now);

/*
 * The node of a span of that name that opens on the track: a node of the tree
 * or, where the span is not shown, the node of the span around it.
 */
uint32_t want_open(struct pair *p, struct track *t, uint32_t name);

/*
 * Whether the sink gets a span. Its depth becomes the number of shown spans
 * around it. For a span that was open, want_close() comes afterwards.
 */
bool want_takes(struct pair *p, const struct track *t, struct span *s);
void want_close(struct pair *p, struct track *t, uint32_t name);

#endif
