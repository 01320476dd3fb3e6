/* SPDX-License-Identifier: ISC */
/*
 * Records beside the calls of the tasks, merged by time:
 *
 *	kernel-cpuN.dat		what the kernel did, pages of its ring buffer
 *	perf-cpuN.dat		when threads were switched out and in, records
 *				of perf_event_open(2)
 */
#ifndef BESIDE_H
#define BESIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/fault.h"
#include "io/in.h"

struct thread;

enum record_kind {
	RECORD_SWITCH,
	RECORD_ENTRY, /* this and all further: the kernel's */
	RECORD_EXIT,
	RECORD_EVENT
};

struct beside_record {
	enum record_kind kind;
	uint32_t tid, other; /* other: that a kernel's event is about */
	uint64_t time;	     /* ns */
	uint64_t addr;	     /* of a function */
	bool lost;	     /* records before it; n_lost of them, 0: unknown */
	uint64_t n_lost;
	/* of an event; of being switched out, NULL: runs again */
	const char *name;
	struct thread *thread; /* of the task */
};

/* In the order in which they come at equal times. */
enum beside_kind { KERNEL, PERF, BESIDE_KINDS };

struct beside_file {
	enum beside_kind of;
	uint64_t cpu;
	char *path;
	struct in in;
	struct beside_record now; /* if !done, until the next one is read */
	bool done;
	/* the kernel's: */
	size_t size, pos, end; /* of the page at in.p; of its events */
	uint64_t time, n_lost;
	bool lost;
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
	bool failed; /* could not be read or used, after a message */
};

struct beside {
	struct beside_file *files;
	size_t n;
	struct beside_file *first; /* of the next record; NULL: no more */
	struct thread *(*find)(const void *threads, uint32_t tid);
	const void *threads;
	struct kheader header;
	bool big;	  /* byte order of the perf files */
	uint64_t unknown; /* events of the kernel without a layout */
	uint64_t lost;	  /* records of perf lost, says the kernel */
	struct fault bad[BESIDE_KINDS];
	bool failed; /* a file could not be read */
};

/* Adds a file; owns path (from malloc) from now on. */
void beside_add(
    struct beside *b, enum beside_kind of, uint64_t cpu, char *path);

/*
 * Reads the first records, after all files are added. Those of tasks for which
 * find() gives no thread are skipped.
 */
void beside_start(struct beside *b, const char *dir, bool big,
    struct thread *(*find)(const void *threads, uint32_t tid),
    const void *threads);
void beside_done(struct beside *b);

/* The time of the next record; UINT64_MAX if there are no more. */
static inline uint64_t
beside_time(const struct beside *b)
{
	return b->first ? b->first->now.time : UINT64_MAX;
}

/* Goes on after the record b->first->now. */
void beside_next(struct beside *b);

/* In kernel.c: the next record, into f->now; false at the end. */
bool kernel_read(struct beside *b, struct beside_file *f);

/* In kheader.c ------------------------------------------------------------- */

/* Reads DIR/kernel_header; `big`: the byte order unless it says it. */
void kheader_read(struct kheader *h, const char *dir, bool big);
void kheader_done(struct kheader *h);

/* NULL for an unknown event. */
const struct kformat *kheader_format(const struct kheader *h, uint64_t id);

#endif
