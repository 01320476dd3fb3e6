/* SPDX-License-Identifier: ISC */
/*
 * The serial log, line by line as the guest writes it: the command's standard
 * output, which is passed on, or a file that QEMU writes.
 */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>

#include "base/buf.h"

struct rx;

struct watch {
	int fd;	    /* -1: nothing is watched */
	bool relay; /* what comes is passed on to the standard output */
	struct rx *from, *until; /* NULL: not looked for */
	const char *path;	 /* of a file that QEMU will make; or NULL */
	bool from_seen, until_seen;
	struct buf line; /* not changed any more when until_seen */
	/* private */
	int missing; /* how often the file was not there */
};

/* Compiles a pattern, if any. Returns -1 after a message. */
int watch_for(struct rx **rx, const char *option, const char *pattern);

/* Opens the file, if there is one to be read and it exists now. */
void watch_open(struct watch *w);

/* At the end: says that the file never existed. */
void watch_miss(const struct watch *w);

/* Reads what is there. Returns false at the end. */
bool watch_read(struct watch *w);
void watch_done(struct watch *w);

#endif
