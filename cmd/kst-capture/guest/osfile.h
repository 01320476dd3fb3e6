/* SPDX-License-Identifier: ISC */
/*
 * How a kernel tells, in guest memory, what process a CPU is in: read from an
 * OS file, lines of `key value` with `#` comments.
 */
#ifndef OSFILE_H
#define OSFILE_H

#include <stdbool.h>
#include <stdint.h>

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

struct osfile {
	bool has_base; /* it says where the kernel begins */
	uint64_t kernel_base;
	uint64_t metadata;	    /* address in the process's own space */
	uint32_t offset[OS_FIELDS]; /* UINT32_MAX: it has no such field */
	uint32_t size;		    /* of all that is to be read */
};

/* Returns -1 after a message that names the line. */
int osfile_read(struct osfile *os, const char *path);

#endif
