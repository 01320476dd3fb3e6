/* SPDX-License-Identifier: ISC */
/*
 * Pages of mapped files that are gone when they are read: another process has
 * cut the file, or the disk does not give them. They read as zeros, and it is
 * known afterwards.
 */
#ifndef KST_ELFLOST_H
#define KST_ELFLOST_H

#include <stddef.h>

/* An open file; its owner holds it. */
struct elflost {
	struct elflost *next;
	int fd;
	size_t len;
};

/*
 * From now on SIGBUS is handled; the file is to be looked at for its length.
 * Only what is known here, and the program itself, may be mapped.
 */
void elflost_watch(struct elflost *w, int fd, size_t len);

/* No more; nothing if it was not. */
void elflost_unwatch(struct elflost *w);

/*
 * What was lost of any file until now: NULL, or words. If the disk has failed,
 * so has the system: msg_status() is told.
 */
const char *elflost_what(void);

#endif
