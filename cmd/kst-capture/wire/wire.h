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
 * known that the guest was running. Returns 0 when that is as it shall be, and
 * 1 if the connection was cut.
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

/*
 * The same over a connection of its own, when the first one was cut. 0: the
 * guest runs; 1: nobody can be reached; -1: it may stand still.
 */
typedef int watchdog_repair(const void *arg);

struct watchdog {
	/* what it is started with; repair: NULL, if there is nothing to do */
	int conn;
	watchdog_duty *duty;
	watchdog_repair *repair;
	const void *arg, *repair_arg;
	bool armed;
	/* set by watchdog_start() */
	pid_t pid; /* 0: none */
	int fd;	   /* of a pair of sockets; the child has the other */
};

/*
 * Starts the child for w->conn, a socket that is connected or about to be, and
 * waits until no signal to this process or its group can reach the child, which
 * has no other descriptor. Returns -1 with errno. If somebody kills the child,
 * the next wait of wait_fd() starts another one; if that fails, says so and
 * counts a signal, which ends the capture. There is one watchdog at a time, and
 * it does not move. The first one can connect, also when this process has given
 * up its rights meanwhile; the next ones cannot.
 */
int watchdog_start(struct watchdog *w);

/* The guest was running, it is known now. */
void watchdog_arm(struct watchdog *w);

/* Ends the child, which does nothing more. */
void watchdog_off(struct watchdog *w);

/*
 * Has the child do now what it is for, and `repair` a connection that was cut,
 * and waits for that until the deadline or a third signal. Returns 1 when
 * nobody can be reached any more, and -1 when QEMU has not answered by then:
 * the child goes on waiting for it, and keeps the connection, without which
 * QEMU would forget what it has not read yet.
 */
int watchdog_leave(struct watchdog *w, bool repair, uint64_t deadline);
#define WATCHDOG_WAITS                                                         \
	"QEMU does not answer: the guest will be resumed as soon as it does; " \
	"to resume it yourself, type 'cont' in QEMU's monitor"

/* When the connection was cut, and another one did not help. */
#define WATCHDOG_LOST                                                    \
	"the guest may be stopped: to resume it, type 'cont' in QEMU's " \
	"monitor"

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
 * Has the watchdog set the guest running, whatever was half sent, over another
 * connection if this one was cut and it is to be repaired; see
 * watchdog_leave(). -1: QEMU does not answer, soon or, if it never did, at
 * once; that is done when it does.
 */
int wire_release(struct wire *w, bool answered, bool repair);

/* Closes; the guest stays as it is. */
void wire_close(struct wire *w);

#endif
