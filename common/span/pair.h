/* SPDX-License-Identifier: ISC */
/*
 * Turns events into spans: each track has a stack of open spans, on which
 * begins and ends are paired. The sink gets the spans.
 */
#ifndef KST_PAIR_H
#define KST_PAIR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "io/fault.h"
#include "set/intern.h"
#include "span/tree.h"
#include "span/want.h"
#include "text/events.h"
#include "text/range.h"

/* Spans -------------------------------------------------------------------- */

/* Deeper spans are counted, but neither timed nor given to the sink. */
enum { PAIR_DEPTH_MAX = 16384 };

/* Events of more tracks are counted and left out. */
enum { PAIR_TRACKS_MAX = 1 << 20 };

/* As in event text, escaped. */
struct name {
	const char *p;
	size_t len;
	uint32_t open;	/* how many spans of it are open */
	unsigned match; /* of --filter and --notrace, in want.c */
};

struct open_span {
	uint32_t node, name;
	uint64_t start, child; /* child: time of the spans directly within */
	uint64_t order;	       /* which of all begins */
	size_t args_at;	       /* where its ARGS begin in track.args */
};

struct track {
	const char *name; /* as in event text, escaped */
	uint32_t name_len;
	uint32_t root; /* node that the track's stacks hang on */
	uint32_t depth;
	struct open_span *frames;
	size_t cap;
	uint64_t last; /* the highest time seen */
	uint64_t too_deep;
	bool seen;
	struct buf args;
	struct track_chart *chart; /* of pair.time, NULL at first */
	/* want.c: open spans that match, and that are not shown; spans that
	 * began too late; whether the last event came too early */
	uint32_t inside, outside, hidden;
	uint64_t late;
	bool early;
};

/* A span that has ended, or (dur = 0) an instant or a loss. */
struct span {
	enum event_kind kind; /* EVENT_END: a span */
	const struct track *track;
	uint32_t depth;	     /* of open spans around it */
	uint32_t name, node; /* node: spans only, and instants */
	uint64_t start, dur, self;
	uint64_t order; /* it began as the one of that number, from 0 */
	bool no_begin;	/* an end without begin: start is its time, dur 0 */
	bool no_end;	/* closed by another span's end, or by the input's */
	struct event_args in, result;
};

struct pair {
	struct span_tree tree;
	struct name *names; /* by number */
	bool by_track;	    /* the track is each stack's root frame */
	bool by_name;	/* a node is a name, for a sink that wants no stacks */
	bool keep_args; /* for a sink that wants ARGS of begins */
	bool overflow;	/* a sum is too large */
	/*
	 * Called for each span; the texts are valid during the call. NULL: the
	 * span's self time and its call are added to the tree's sums.
	 */
	void (*sink)(void *ctx, const struct span *s);
	void *ctx;
	struct want *want; /* what is left out, or NULL */
	/*
	 * Called for the time from one event of a track to the next: `node` was
	 * the innermost open span for so long; or NULL.
	 */
	void (*time)(
	    struct track *t, uint32_t node, uint64_t from, uint64_t to);
	/* What was repaired. */
	uint64_t no_begin, no_end, open_at_end, backwards, too_deep, lost;
	uint64_t too_many;
	uint64_t n_begun;
	/* private to pair.c */
	struct fault bad; /* lines */
	struct intern *name_ids, *track_ids;
	struct track *tracks;
	uint32_t n_names, n_tracks;
	size_t cap_names, cap_tracks;
	uint32_t cur; /* the track of the last event */
};

/* Whether the span itself or one around it has its name. */
bool pair_recursive(const struct pair *p, const struct span *s);

void pair_init(struct pair *p);
void pair_done(struct pair *p);

/*
 * Reads the events of all files. At their end, all open spans end. Returns how
 * many faults there were.
 */
struct in;
uint64_t pair_read(struct in *in, struct pair *p);

/*
 * Adds to a sum. If the result does not fit, the sum becomes the greatest
 * number.
 */
static inline void
pair_sum(struct pair *p, uint64_t *sum, uint64_t n)
{
	if (__builtin_add_overflow(*sum, n, sum)) {
		*sum = UINT64_MAX;
		p->overflow = true;
	}
}

/* Nodes ---- */

/* The node of the innermost span that is open, or the track's root. */
static inline uint32_t
pair_inner(const struct track *t)
{
	return t->depth ? t->frames[t->depth - 1].node : t->root;
}

/* The node that a span of that name has within t's open ones. */
static inline uint32_t
pair_node(struct pair *p, const struct track *t, uint32_t name)
{
	return tree_child(
	    &p->tree, p->by_name ? TREE_ROOT : pair_inner(t), name);
}

/* One line that says what was repaired, if anything. */
void pair_say_repairs(const struct pair *p);

#endif
