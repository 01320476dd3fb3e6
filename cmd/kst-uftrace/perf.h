/* SPDX-License-Identifier: ISC */
/*
 * When threads were switched out and in: the perf-cpuN.dat files of uftrace,
 * records of perf_event_open(2), one file for each processor.
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
	struct perf_switch now; /* the next switch, if !done */
	bool done;
	uint64_t lost; /* records lost, says the kernel */
	struct fault
	    damage;  /* files that end within a record, or are something else */
	bool failed; /* a file could not be read */
	/* private */
	struct perf_file *files;
	size_t n, first; /* first: the file of `now` */
	bool big;
};

/* `big`: the byte order of the files. */
void perf_init(struct perf *p, bool big);
void perf_done(struct perf *p);

/* Adds a processor's file; owns path (from malloc) from now on. */
void perf_add(struct perf *p, uint64_t cpu, char *path);

/* Reads the first switch, after all files are added. */
void perf_start(struct perf *p);

/* Goes to the next switch of all files, by time. */
void perf_next(struct perf *p);

#endif
