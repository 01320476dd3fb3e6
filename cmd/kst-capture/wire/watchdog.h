/* SPDX-License-Identifier: ISC */
/*
 * A guest that is stopped while its debugger dies stays stopped for ever. The
 * watchdog is a child that holds the same connection: when this process ends
 * without having called it off, in whatever way, it sets the guest running.
 */
#ifndef WATCHDOG_H
#define WATCHDOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * What the child does with the socket when the parent is gone; `armed`: it is
 * known that the guest was running. Returns 0 when that is as it shall be.
 */
typedef int watchdog_duty(int fd, const void *arg, bool armed);

/*
 * The duty for a connection to QEMU, with a struct of this kind: what is said,
 * and what tells from all that came, a string. Answers to what the parent had
 * asked come first, and may begin in their middle.
 */
watchdog_duty watchdog_resume;
struct watchdog_words {
	const char *resume; /* sets the guest running whatever was half sent */
	bool (*resumed)(const char *came);
	/*
	 * When the parent ended before it knew whether the guest had been
	 * running: the question, whether the answer is whole, and what it
	 * says. A guest that had not been running is left as it is. NULL if
	 * the parent always knows.
	 */
	const char *question;
	bool (*answered)(const char *came);
	bool (*had_run)(const char *came);
};

struct watchdog {
	pid_t pid; /* 0: none */
	int fd;	   /* of a pair of sockets; the child has the other */
};

/*
 * Starts the child for a socket, connected or about to be, and waits until no
 * signal to this process or its group can reach the child, which has no other
 * descriptor. Returns -1 with errno.
 */
int watchdog_start(struct watchdog *w, int fd, watchdog_duty *duty,
    const void *arg, bool armed);

/* The guest was running, it is known now. */
void watchdog_arm(struct watchdog *w);

/* Ends the child, which does nothing more. */
void watchdog_off(struct watchdog *w);

/*
 * Has the child do now what it is for, and waits for that until the
 * deadline or a third signal. Returns -1 when QEMU has not answered by then:
 * the child goes on waiting for it, and keeps the connection, without which
 * QEMU would forget what it has not read yet.
 */
int watchdog_leave(struct watchdog *w, uint64_t deadline);
#define WATCHDOG_WAITS                                                       \
	"QEMU does not answer; the guest is set running when it does; else " \
	"resume it with 'cont' in QEMU's monitor"

/* When the connection was cut, and another one did not help. */
#define WATCHDOG_LOST \
	"the guest may stand still: resume it with 'cont' in QEMU's monitor"

#endif
