/* SPDX-License-Identifier: ISC */
/*
 * The calls of a function: how long each took and, for the slowest ones and a
 * fair choice of all, where that time went. Memory does not grow with the
 * number of calls.
 */
#ifndef CALLS_H
#define CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/port.h"
#include "growth.h"
#include "opt/opt.h"
#include "span/hist.h"
#include "span/pair.h"

/* At most so many of the slowest calls, and of the choice, are kept. */
enum { CALLS_SLOW = PORT_LIMIT(16384, 64), CALLS_SOME = PORT_LIMIT(2048, 64) };

/*
 * Which calls are slow: (1) a share of all; (2) of that share, only those that
 * are nearer to the worst call than to the median; (3) a number of calls; or
 * (4) those above a time.
 */
struct slow {
	enum { SLOW_SHARE, SLOW_NEAR, SLOW_WORST, SLOW_ABOVE } kind;
	uint64_t n; /* shares: of a million; SLOW_WORST: calls; else ns */
};

/* An option: `worst`, `1%`, `worst:20` or `>2ms`, of a struct slow. */
int slow_option(void *slow, const char *arg, struct buf *err);

/* Self time of one stack. */
struct piece {
	uint32_t node; /* of pair.tree */
	uint64_t ns;
};

struct call {
	uint64_t start, ns, order; /* order: which call of all, from 0 */
	uint32_t track, name;
	struct piece *pieces; /* by rising node, each once */
	size_t n;
};

struct calls {
	struct hist durations; /* of all calls */
	uint64_t n;
	uint64_t cut;	   /* that did not end, which are not counted */
	bool running;	   /* to be set: without time in `[away]` */
	bool large;	   /* too large for all of them to be kept */
	struct call *slow; /* the slowest first, after calls_end() */
	size_t n_slow;
	struct call *some; /* a choice of all; after calls_end(): the middle
			      half, without slow ones */
	size_t n_some;
	struct growth growth; /* after calls_end() */
	/* private to calls.c */
	struct pair *p;
	size_t room_slow, room_some, cap_slow, cap_some;
	size_t pieces; /* of all that are kept */
	struct within *within;
	size_t n_within;
	uint64_t random;
};

void calls_init(struct calls *c, struct pair *p, const struct slow *slow);
void calls_done(struct calls *c);

/* pair.sink: of spans of which the outermost is a call. */
void calls_span(void *calls, const struct span *s);

/*
 * To be called at the end: leaves the slow calls in `slow`, and typical ones in
 * `some`.
 */
void calls_end(struct calls *c, const struct slow *slow);

#endif
