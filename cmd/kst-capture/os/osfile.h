/* SPDX-License-Identifier: ISC */
/*
 * How to find in a kernel's memory what process a CPU is in: read from an OS
 * file, lines of `key value` with `#` comments.
 */
#ifndef OSFILE_H
#define OSFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/osthreads.h"
#include "unwind/unwind.h"

struct elfsym;

/* What is known about a process; each is a 64-bit word at an offset. */
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

/*
 * Stacks end in the function; it saves registers; or a CPU in it has nothing to
 * do.
 */
enum os_kind { OS_ROOT, OS_ENTRY, OS_IDLE };

/* A line about functions of the kernel. */
struct os_rule {
	char *name;  /* a pattern as of fnmatch(3) */
	char *below; /* of OS_IDLE: another, that of a caller; NULL: any */
	enum os_kind kind;
	int32_t saved[OS_SAVED + 1]; /* of OS_ENTRY: offsets from sp; -1: not */
};

/* A function of the kernel's file that an OS_IDLE line names, or its caller. */
struct os_idle {
	uint64_t start, end; /* as in the file */
	size_t rule;
	bool below;
};

struct osfile {
	struct os_threads threads;
	struct os_rule *rule;
	size_t n_rule;
	struct os_idle *idle; /* from osfile_apply() on */
	size_t n_idle;
	bool known;		    /* a line known-by fits the kernel */
	uint64_t kernel_base;	    /* 0: it does not say */
	uint64_t metadata;	    /* address in the process's own space */
	uint32_t offset[OS_FIELDS]; /* UINT32_MAX: it has no such field */
	uint32_t size;		    /* of all that is to be read */
};

/*
 * Returns -1 after a message that names the line. `sym` are the kernel's
 * functions, by which a file finds out whether it is for that kernel; or NULL.
 */
int osfile_read(struct osfile *os, const char *path, const struct elfsym *sym);
void osfile_done(struct osfile *os);

/* Whether it tells processes apart. */
bool osfile_processes(const struct osfile *os);

/*
 * Gives the unwinder's module of the kernel the functions where stacks end, and
 * what an interrupt's entry has saved. Warns if the kernel has none of the
 * functions.
 */
void osfile_apply(struct osfile *os, const struct elfsym *sym,
    const struct unwind_abi *abi, struct unwind_module *m);

/*
 * Whether a CPU with this stack has nothing to do: it is in an OS_IDLE
 * function, and no interrupt came. `bias` is by how much the kernel's file was
 * moved.
 */
bool osfile_is_idle(
    const struct osfile *os, uint64_t bias, const struct unwind_stack *st);

#endif
