/* SPDX-License-Identifier: ISC */
/* Collects captures of trace text, to be written as JSON. */
#ifndef COLLECT_H
#define COLLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture.h"
#include "trace/stacks.h"

struct in;

/* Captures of trace text; zeroed but for capture.cpus. */
struct collect {
	struct capture capture;
	struct stacks in;   /* after stacks_init() */
	uint64_t no_cpu;    /* stacks without a CPU: left out */
	uint64_t too_large; /* frames beyond a capture's limits: left out */
	/* private */
	bool begun; /* there is a capture, maybe an empty one */
	bool is_wanted;
	size_t stack; /* where the stack's text begins */
};

/* Writes what is left of the file as JSON: a signs_reader. */
const char *collect_trace(void *collect, struct in *in);

#endif
