/* SPDX-License-Identifier: ISC */
/* Says how kst-capture has ended, from its summary, kst(7), and its status. */
#ifndef ENDING_H
#define ENDING_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"

struct ending {
	bool empty;	/* nothing was sampled, */
	bool unreached; /* since QEMU did not let us */
	bool gone;	/* the guest has ended, */
	bool stopped;	/* or was stopped, */
	bool rebooted;
	bool other_kernel;
	bool nameless; /* no frame has a name */
};

/* From the file of the summary; all is false if kst-capture was killed. */
struct ending ending_read(int fd);

/*
 * Its exit status, from that of waitpid(). The guest's end is an end as any
 * other, and so is ours: `told` to end.
 */
int ending_status(const struct ending *e, int status, bool told);

/*
 * The exit status of the command that starts QEMU, from that of waitpid(),
 * after a message. None if --base has not let QEMU start, which says more.
 */
int ending_command(const char *name, int status);

/* Where a file's last capture begins; -1: not in the last 4 MiB. */
off_t ending_last(int fd);

/* Appends to the capture which line has ended it. */
void ending_mark(const char *capture, const struct buf *line);

#endif
