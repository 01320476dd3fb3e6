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
	bool from_seen, until_seen;
	struct buf line;
};

/* Compiles a pattern, if any. Returns -1 after a message. */
int watch_for(struct rx **rx, const char *option, const char *pattern);

/* Reads what is there. Returns false at the end. */
bool watch_read(struct watch *w);
void watch_done(struct watch *w);

#endif
