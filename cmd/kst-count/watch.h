/* SPDX-License-Identifier: ISC */
/* Waits for the end of the count, and reports what goes on meanwhile. */
#ifndef WATCH_H
#define WATCH_H

#include <stdbool.h>
#include <sys/types.h>

struct live;
struct options;

struct watch {
	const struct options *o;
	int file;		 /* which the plugin fills */
	const struct live *live; /* what it tells before */
	pid_t command;		 /* which starts QEMU */
	bool at_line; /* set: the guest was idle after the line of --until */
	bool over;    /* set: the time of --duration is */
	/*
	 * Called once QEMU's command line is known; NULL: nothing. Another exit
	 * status than 0, which `failed` then is, ends the count.
	 */
	int (*begun)(void *arg);
	void *arg;
	int failed;
	int console; /* a file that is passed on to standard error; -1: none */
	off_t passed;
	bool cut; /* what was passed on does not end with a newline */
};

/* Whether the plugin has written all to the file, to the end of its last line.
 */
bool watch_is_whole(int file);

/* Whether another run counts the same; says so if that is up to an option. */
bool watch_is_reproducible(const struct options *o, const struct live *v);

/*
 * Says why nothing was counted. `status` is the command's, 0 if it is not
 * known. Returns an exit status.
 */
int watch_nothing(const struct watch *w, int status);

/*
 * Waits until the command has ended and the file is whole, since a script may
 * end before QEMU. A request to end, or a guest that stays idle after the line
 * that ends the count, ends QEMU; what was counted is there unless QEMU is
 * silent. Returns the command's status.
 */
int watch_end(struct watch *w);

#endif
