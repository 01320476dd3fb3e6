/* SPDX-License-Identifier: ISC */
/*
 * The serial log, line by line as the guest writes it: the command's standard
 * output, which is passed on, or a file that QEMU writes.
 */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <stdint.h>

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
	bool cut;      /* what was passed on does not end with a newline */
	int missing;   /* how often the file was not there */
	int64_t since; /* of the first look, in job_ms() */
	bool waits;    /* that no line has matched --from has been said */
};

/* Compiles a pattern, if any. Returns -1 after a message. */
int watch_for(struct rx **rx, const char *option, const char *pattern);

/* Opens the file, if there is one to be read and it exists now. */
void watch_open(struct watch *w);

/* Whether messages go where the standard output goes. */
bool watch_is_shared(void);

/* Reads what is there. Returns false at the end. */
bool watch_read(struct watch *w);

/*
 * Reads what is left of it, after sampling and again after the command's end.
 * If a command spoke, and where messages go, they begin on a line of their own.
 * Says once that the file never existed.
 */
void watch_end(struct watch *w, bool spoke);
void watch_done(struct watch *w);

#endif
