/* SPDX-License-Identifier: ISC */
/*
 * From trace text to captures: a capture begins at a `[kst-capture` line,
 * behind OSDK's mark, or when a CPU shows again that has frames already.
 */
#ifndef COLLECT_H
#define COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture.h"
#include "text/cpus.h"
#include "text/trace.h"

struct collect {
	struct cpus *cpus;
	/* Called with each capture when it is complete and sorted. */
	void (*put)(void *arg, struct capture *c);
	void *arg;
	uint64_t no_cpu;    /* stacks without a CPU: left out */
	uint64_t too_large; /* frames beyond a capture's limits: left out */
	/* private */
	struct capture capture;
	bool begun; /* there is a capture, maybe an empty one */
	bool has_cpu, is_wanted, in_stack;
	uint32_t cpu, number;	 /* of the thread, and its last frame */
	uint64_t n;		 /* number of the capture */
	uint64_t seen[CPUS_MAX]; /* by CPU: the last capture with frames */
	struct trace_reader reader;
};

/* A large struct, to be zeroed but for the first three fields. */
void collect_line(struct collect *c, const char *line, size_t len);
void collect_end(struct collect *c);
void collect_done(struct collect *c);

#endif
