/* SPDX-License-Identifier: ISC */
/*
 * When threads were switched out and in again: the perf-cpuN.dat files, which
 * uftrace fills with the records of perf_event_open(2), one file a processor.
 */
#ifndef PERF_H
#define PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"

enum perf_kind { PERF_OUT, PERF_PREEMPTED, PERF_IN };

struct perf_switch {
	uint64_t time; /* ns, of the clock of the .dat files */
	uint32_t tid;
	enum perf_kind kind;
};

struct perf {
	struct perf_switch now; /* the earliest that is left, if !done */
	bool done;
	uint64_t lost;	     /* records that the kernel says it lost */
	struct fault damage; /* files that end within a record, or are none */
	bool failed;	     /* a file could not be read */
	/* private */
	struct perf_file *files;
	size_t n, first; /* first: the one that `now` is of */
	bool big;
};

/* big: the byte order of the files. */
void perf_init(struct perf *p, bool big);
void perf_done(struct perf *p);

/* Adds the file of a processor; takes over path (of malloc). */
void perf_add(struct perf *p, uint64_t cpu, char *path);

/* Reads the first switch, when all files are added. */
void perf_start(struct perf *p);

/* Steps to the next switch, in the order of time over all files. */
void perf_next(struct perf *p);

#endif
