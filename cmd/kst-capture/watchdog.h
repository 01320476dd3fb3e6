/* SPDX-License-Identifier: ISC */
/*
 * A guest that is stopped while its debugger dies stays stopped for ever. The
 * watchdog is a child that holds the same connection: when this process ends
 * without having called it off, in whatever way, it sets the guest running.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include <stddef.h>
#include <sys/types.h>

struct watchdog {
	pid_t pid; /* 0: none */
	int pipe;
};

/*
 * Starts the child for a connected socket. `resume` are the bytes that set
 * the guest running whatever was half sent before; `answer` is text that
 * comes back when it has. Returns -1 with errno.
 */
int watchdog_start(
    struct watchdog *w, int fd, const char *resume, const char *answer);

/* Ends the child, which does nothing more. */
void watchdog_off(struct watchdog *w);

#endif
