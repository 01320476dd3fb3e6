/* SPDX-License-Identifier: ISC */
/* A file that appears whole or not at all. */
#ifndef TARGET_H
#define TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* While it is written it has a name of its own, `temp`. */
struct target {
	int fd; /* -1: not open */
	uint64_t bytes;
	struct buf temp;
};

/* `temp` is set by the caller; a file of that name is replaced. 0, or -1. */
int target_open(struct target *t);

/* Appends; arg is the target, as for pipeline_run(). 0, or -1 with errno. */
int target_put(void *arg, const char *p, size_t n);

/*
 * Closes the file and, if `good`, gives it the name `path`, making the
 * folders above it; otherwise removes it. Another file system is as good.
 * 0, or -1 with errno; frees the target.
 */
int target_close(struct target *t, const char *path, bool good);

#endif
