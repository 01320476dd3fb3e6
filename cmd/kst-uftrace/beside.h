/* SPDX-License-Identifier: ISC */
/*
 * What is recorded beside the calls of the tasks, merged by time:
 *
 *	extern.dat		what another program noted, `SECONDS MESSAGE`
 *	kernel-cpuN.dat		what the kernel did, pages of its ring buffer
 *	perf-cpuN.dat		when threads were switched out and in, records
 *				of perf_event_open(2)
 */
#ifndef BESIDE_H
#define BESIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/in.h"
#include "kheader.h"

struct emit;
struct track;
struct tracks;

struct record {
	enum record_kind kind;
	uint32_t tid,
	    other;     /* other: the task that a kernel's event is about */
	uint64_t time; /* ns */
	uint64_t addr; /* of a function; how many are lost, 0: unknown */
	/* of an event, a note's text; while switched out, NULL: runs again */
	const char *name;
	size_t len;	     /* of a note */
	struct track *track; /* of the task; NULL for a note */
};

/* In the order in which they come at equal times. */
enum beside_file { NOTES, KERNEL, PERF, BESIDE_FILES };

struct file {
	enum beside_file of;
	uint64_t cpu;
	char *path;
	struct in in;
	struct record now; /* if !done; valid until the next one is read */
	bool done;
	/* the kernel's: */
	size_t size, pos, end; /* of the page at in.p; of its events */
	uint64_t time, n_lost;
	struct record held; /* after the lost ones */
	bool lost, has_held;
};

struct beside {
	struct file *files;
	size_t n;
	struct file *first; /* of the next record; NULL: no more */
	const struct tracks *tracks;
	struct kheader header;
	bool big;	  /* byte order of the perf files */
	uint64_t unknown; /* events of the kernel without a layout */
	uint64_t lost;	  /* records of perf lost, says the kernel */
	struct fault bad[BESIDE_FILES];
	bool failed; /* a file could not be read */
};

/* Adds a file; owns path (from malloc) from now on. */
void beside_add(
    struct beside *b, enum beside_file of, uint64_t cpu, char *path);

/*
 * Reads the first records, after all files are added. Those of tasks without
 * a track are skipped.
 */
void beside_start(
    struct beside *b, const struct tracks *ts, const char *dir, bool big);
void beside_done(struct beside *b);

/* The time of the next record; UINT64_MAX if there are no more. */
uint64_t beside_time(const struct beside *b);

/* Writes the next record, unless e is quiet, and goes on. */
void beside_put(struct beside *b, struct emit *e);

/* A begin or an end that was not recorded, of a function of the kernel. */
void beside_made(struct emit *e, struct track *t, uint64_t time, bool is_exit,
    uint64_t addr);

/* In kernel.c: the next record, into f->now; false at the end. */
bool kernel_read(struct beside *b, struct file *f);

#endif
