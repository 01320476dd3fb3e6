/* SPDX-License-Identifier: ISC */
/*
 * Records of the kernel, kernel-cpuN.dat: pages of its ring buffer, merged by
 * time.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/fault.h"
#include "io/in.h"
#include "text/events.h"

struct thread;

struct kernel_record {
	const struct kformat *format;
	struct thread *thread; /* of the task */
	uint64_t time;	       /* ns */
	uint64_t addr;	       /* of a function */
	bool lost; /* records before it; n_lost of them, 0: unknown */
	uint64_t n_lost;
};

struct kernel_file {
	uint64_t cpu;
	char *path;
	struct in in;
	struct kernel_record now; /* if !done, until the next one is read */
	bool done;
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
	uint64_t id; /* first, to be found by */
	enum event_kind kind;
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

struct kernel {
	struct kernel_file *files;
	size_t n;
	struct kernel_file *first; /* of the next record; NULL: no more */
	struct thread *threads;
	size_t n_threads;
	struct kheader header;
	uint64_t unknown; /* events without a layout */
	struct fault bad;
	bool failed; /* a file could not be read */
};

/* Adds a file; owns path (from malloc) from now on. */
void kernel_add(struct kernel *k, uint64_t cpu, char *path);

/*
 * Reads the first records, after all files are added. Those of tasks that are
 * not among the threads (by tid) are skipped. `big`: the byte order unless
 * DIR/kernel_header says it.
 */
void kernel_start(struct kernel *k, const char *dir, bool big,
    struct thread *threads, size_t n);
void kernel_done(struct kernel *k);

/* The time of the next record; UINT64_MAX if there are no more. */
static inline uint64_t
kernel_time(const struct kernel *k)
{
	return k->first ? k->first->now.time : UINT64_MAX;
}

/* Goes on after the record k->first->now. */
void kernel_next(struct kernel *k);

/* In kheader.c ------------------------------------------------------------- */

/* Reads DIR/kernel_header; `big`: the byte order unless it says it. */
void kheader_read(struct kheader *h, const char *dir, bool big);
void kheader_done(struct kheader *h);

/* NULL for an unknown event. */
const struct kformat *kheader_format(const struct kheader *h, uint64_t id);

#endif
