/* SPDX-License-Identifier: ISC */
/*
 * A connection over which a protocol is spoken, with its watchdog. Calls of
 * wire_*() that fail return -1 and say why.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "wire/clock.h"

/*
 * A guest that is stopped while its debugger dies stays stopped for ever. The
 * watchdog is a child that holds the same connection: when this process ends
 * without having called it off, in whatever way, it sets the guest running.
 */

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
	/* what it was started with */
	int conn;
	watchdog_duty *duty;
	const void *arg;
	bool armed;
};

/*
 * Starts the child for a socket, connected or about to be, and waits until no
 * signal to this process or its group can reach the child, which has no other
 * descriptor. Returns -1 with errno. If somebody kills the child, the next wait
 * of wait_fd() starts another one; if that fails, says so and counts a signal,
 * which ends the capture. There is one watchdog at a time, and it does not
 * move.
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

/* Why a conversation cannot go on; LOST: as `why` says. */
enum wire_end { WIRE_LOST, WIRE_MUTE, WIRE_GONE, WIRE_STOPPED, WIRE_REBOOTED };

struct wire {
	int fd;		  /* -1: not connected */
	uint64_t timeout; /* of any wait, ns */
	struct watchdog dog;
	struct buf out; /* the write in the making */
	bool hurry;	/* a second signal ended a wait */
	bool closed;	/* QEMU has closed the connection */
	enum wire_end end;
	char why[256];
};

/* Says why; returns -1. */
int wire_fail(struct wire *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int wire_end(struct wire *w, enum wire_end end, const char *why);

/* The same for how a wait has ended; 0 for CONN_OK. */
int wire_ended(struct wire *w, enum conn_end end);

/*
 * Writes a question. -1 also when the answer to an earlier one is late: it
 * would be taken for this one's.
 */
int wire_write(struct wire *w, const char *p, size_t n);

/* The same with w->out, which is empty then. */
int wire_send(struct wire *w);

/*
 * Has the watchdog set the guest running, whatever was half sent. -1: QEMU does
 * not answer, soon or, if it never did, at once; that is done when it does.
 */
int wire_release(struct wire *w, bool answered);

/* Closes; the guest stays as it is. */
void wire_close(struct wire *w);

#endif
