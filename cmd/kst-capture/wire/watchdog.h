/* SPDX-License-Identifier: ISC */
/*
 * A guest that is stopped while its debugger dies stays stopped for ever. The
 * watchdog is a child that holds the same connection: when this process ends
 * without having called it off, in whatever way, it sets the guest running.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What is said on the connection when the parent is gone. */
struct watchdog_words {
	const char *resume; /* sets the guest running whatever was half sent */
	const char *answer; /* comes back when it has */
	/*
	 * When the parent ended before it knew whether the guest had been
	 * running: the question, the end of the answer, and what tells from
	 * all that came, a string. A guest that had not been is left as it
	 * is. NULL if the parent always knows.
	 */
	const char *question, *end;
	bool (*had_run)(const char *came);
};

struct watchdog {
	pid_t pid; /* 0: none */
	int pipe;
};

/*
 * Starts the child for a socket, connected or about to be. `armed`: it is
 * known that the guest was running. The words are constants. Returns -1 with
 * errno.
 */
int watchdog_start(
    struct watchdog *w, int fd, const struct watchdog_words *words, bool armed);

/* The guest was running, it is known now. */
void watchdog_arm(struct watchdog *w);

/* Ends the child, which does nothing more. */
void watchdog_off(struct watchdog *w);

/*
 * Has the child set the guest running now, and waits for that until the
 * deadline. Returns -1 when QEMU has not answered by then: the child goes on
 * waiting for it, and keeps the connection, without which QEMU would forget
 * what it has not read yet.
 */
int watchdog_leave(struct watchdog *w, uint64_t deadline);

#endif
