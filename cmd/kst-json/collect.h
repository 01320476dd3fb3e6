/* SPDX-License-Identifier: ISC */
/* From trace text to captures. */
#ifndef COLLECT_H
#define COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture.h"
#include "text/cpus.h"
#include "text/stacks.h"

struct collect {
	struct cpus *cpus;
	/* Called with each capture when it is complete and sorted. */
	void (*put)(void *arg, struct capture *c);
	void *arg;
	uint64_t no_cpu;    /* stacks without a CPU: left out */
	uint64_t too_large; /* frames beyond a capture's limits: left out */
	/* private */
	struct stacks in;
	struct capture capture;
	bool begun; /* there is a capture, maybe an empty one */
	bool is_wanted;
};

/* To be called with all zero but the first three fields. */
void collect_init(struct collect *c);
void collect_done(struct collect *c);

/* Collects what is left of the current file. */
void collect_trace(struct collect *c, struct in *in);

#endif
