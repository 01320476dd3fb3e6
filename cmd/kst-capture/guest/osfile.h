/* SPDX-License-Identifier: ISC */
/*
 * How a kernel tells, in guest memory, what process a CPU is in: read from an
 * OS file, lines of `key value` with `#` comments.
 */
#ifndef OSFILE_H
#define OSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/unwind.h"

struct elfsym;

/* The facts about a process; each a 64-bit word at an offset. */
enum os_field {
	OS_PID,
	OS_IMAGE_BASE,
	OS_IMAGE_SIZE,
	OS_EH_FRAME,
	OS_EH_FRAME_SIZE,
	OS_TEXT,
	OS_TEXT_SIZE,
	OS_FIELDS
};

/* What an entry saves: the address, and sp, fp, the return address, mode. */
enum { OS_SAVED = 4 };

/* A line about functions of the kernel. */
struct os_rule {
	char *name;		     /* a pattern as of fnmatch(3) */
	bool root;		     /* stacks end there; else what it saves: */
	int32_t saved[OS_SAVED + 1]; /* offsets from sp; -1: not */
};

struct osfile {
	struct os_rule *rule;
	size_t n_rule;
	bool known;		    /* a line known-by fits the kernel */
	uint64_t kernel_base;	    /* 0: it does not say */
	uint64_t metadata;	    /* address in the process's own space */
	uint32_t offset[OS_FIELDS]; /* UINT32_MAX: it has no such field */
	uint32_t size;		    /* of all that is to be read */
};

/*
 * Returns -1 after a message that names the line. `sym` are the kernel's
 * functions, by which a file tells that it is for that kernel; or NULL.
 */
int osfile_read(struct osfile *os, const char *path, const struct elfsym *sym);
void osfile_done(struct osfile *os);

/* Whether it tells processes apart. */
bool osfile_processes(const struct osfile *os);

/*
 * Tells the unwinder's module of the kernel where stacks end, and what an
 * interrupt's entry has saved; warns when the kernel has none of the functions.
 */
void osfile_apply(const struct osfile *os, const struct elfsym *sym,
    const struct unwind_abi *abi, struct unwind_module *m);

#endif
