/* SPDX-License-Identifier: ISC */
/* The run: samples by pace.h, written, and what is said of them. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stdint.h>

struct backend;
struct target;

struct run_options {
	const struct backend *backend;
	uint64_t samples;  /* 0: no limit */
	uint64_t duration; /* ns, 0: no limit */
	uint64_t interval; /* ns */
	uint64_t seed;	   /* of the places of samples in their intervals, */
	bool jitter;	   /* if those are random */
	bool quiet;
	bool check;	  /* end when the guest has rebooted */
	const char *info; /* the line that begins the trace text */
};

/* Samples until the limits or a signal. Returns the exit status. */
int run(const struct run_options *o, const struct target *t);

#endif
