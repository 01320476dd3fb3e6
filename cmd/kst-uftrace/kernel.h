/* SPDX-License-Identifier: ISC */
/*
 * What the kernel did for the tasks: the kernel-cpuN.dat files of uftrace,
 * pages of the kernel's ring buffer, one file for each processor.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "kheader.h"

struct kernel_record {
	uint64_t time;
	uint64_t addr;	     /* of a function; how many are lost, 0: unknown */
	uint32_t tid, other; /* other: the task that an event is about */
	enum kernel_kind kind;
	const char *name; /* of an event */
};

struct kernel {
	struct kernel_record now; /* the next one, if !done */
	bool done;
	uint64_t unknown; /* events of which there is no layout */
	struct fault damage;
	bool failed; /* a file could not be read */
	/* private */
	struct kheader header;
	struct kernel_file *files;
	size_t n, first; /* first: the file of `now` */
};

void kernel_init(struct kernel *k);
void kernel_done(struct kernel *k);

/* Adds a processor's file; owns path (from malloc) from now on. */
void kernel_add(struct kernel *k, uint64_t cpu, char *path);

/* Reads the header and the first record, after all files are added. */
void kernel_start(struct kernel *k, const char *dir, bool big);

/* Goes to the next record of all files, by time. */
void kernel_next(struct kernel *k);

#endif
