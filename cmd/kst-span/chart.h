/* SPDX-License-Identifier: ISC */
/* --chart: what was open on each track, in the order of time. */
#ifndef CHART_H
#define CHART_H

#include <stddef.h>
#include <stdint.h>

struct pair;
struct track;

/* How long node was the innermost one that is open. */
struct part {
	uint32_t node; /* the track's root: none is open */
	uint64_t ns;
};

struct track_chart {
	uint64_t first; /* time */
	struct part *v;
	size_t n, cap;
};

void chart_done(const struct pair *p);

/* Node was the innermost from one event to the next. */
void chart_time(struct track *t, uint32_t node, uint64_t from, uint64_t to);

/* What was open on each track, in the order of time; needs pair.by_track. */
void chart_print(const struct pair *p);

#endif
