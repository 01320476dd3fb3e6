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

struct emit;
struct track;
struct tracks;

enum record_kind {
	RECORD_NOTE,
	RECORD_SWITCH,
	RECORD_ENTRY, /* this and all further: the kernel's */
	RECORD_EXIT,
	RECORD_EVENT,
	RECORD_LOST
};

struct record {
	enum record_kind kind;
	uint32_t tid, other; /* other: that a kernel's event is about */
	uint64_t time;	     /* ns */
	uint64_t addr;	     /* of a function; how many are lost, 0: unknown */
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

/*
 * The kernel_header file of uftrace: how the kernel lays out its ring buffer's
 * pages and the events in them, as tracefs says it.
 */

/* Where a number is; size 0: nowhere. */
struct kfield {
	uint32_t at, size;
};

/* An event's layout. */
struct kformat {
	uint64_t id;
	enum record_kind kind;
	char *name; /* "SYSTEM:NAME" */
	struct kfield pid, func;
	struct kfield other; /* the task that it is about */
};

struct kheader {
	bool big;
	uint64_t page; /* size */
	struct kfield time, commit, data, type;
	struct kformat *formats; /* by id */
	size_t n;
	struct fault bad;
	bool failed; /* could not be read, or makes no sense; said */
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

/* In kheader.c ------------------------------------------------------------- */

/* Reads DIR/kernel_header; `big`: the byte order unless it says it. */
void kheader_read(struct kheader *h, const char *dir, bool big);
void kheader_done(struct kheader *h);

/* NULL for an unknown event. */
const struct kformat *kheader_format(const struct kheader *h, uint64_t id);

#endif
