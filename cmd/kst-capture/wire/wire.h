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
 * watchdog is a child that holds the same connection. If this process ends, in
 * whatever way, without having called the watchdog off, the watchdog resumes
 * the guest.
 */

/*
 * What the child does with the socket when its parent is gone. `armed`: the
 * guest is known to have been running. Returns 0 when the guest is as it should
 * be, and 1 if the connection was cut.
 */
typedef int watchdog_duty(int fd, const void *arg, bool armed);

/*
 * The duty for a connection to QEMU, with a struct of this kind: what is sent,
 * and a string by which the answer is recognised among everything that comes.
 * Answers to what the parent had asked come first, and may begin in their
 * middle.
 */
watchdog_duty watchdog_resume;
struct watchdog_words {
	const char *resume; /* resumes the guest, whatever was half sent */
	bool (*resumed)(const char *came);
	/*
	 * If the parent ended before it knew whether the guest had been
	 * running: the question, whether the answer is whole, and what it says.
	 * A guest that had not been running is left as it is. NULL if the
	 * parent always knows.
	 */
	const char *question;
	bool (*answered)(const char *came);
	bool (*had_run)(const char *came);
};

/*
 * Resumes the guest over a new connection, when the first one was cut. 0: the
 * guest runs. 1: nobody can be reached. -1: it may be stopped.
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
 * Starts the child for w->conn, a socket that is connected or about to be.
 * Waits until no signal to this process or its group can reach the child, which
 * has no other descriptor. Returns -1 with errno.
 *
 * If somebody kills the child, the next wait of wait_fd() starts another one.
 * If that fails, says so and counts a signal, which ends the capture. There is
 * one watchdog at a time, and its struct does not move. The first one can
 * connect, even after this process has given up its rights; later ones cannot.
 */
int watchdog_start(struct watchdog *w);

/* Says that the guest is now known to have been running. */
void watchdog_arm(struct watchdog *w);

/* Ends the child, which does nothing further. */
void watchdog_off(struct watchdog *w);

/*
 * Makes the child do now what it is for, and `repair` a connection that was
 * cut. Waits for that until the deadline or a third signal. Returns 1 if nobody
 * can be reached any more, and -1 if QEMU has not answered by then. The child
 * then goes on waiting for QEMU. It also keeps the connection, without which
 * QEMU would forget what it has not read yet.
 */
int watchdog_leave(struct watchdog *w, bool repair, uint64_t deadline);
#define WATCHDOG_WAITS                                                         \
	"QEMU does not answer: the guest will be resumed as soon as it does; " \
	"to resume it yourself, type 'cont' in QEMU's monitor"

/* Says that the connection was cut, and that another one did not help. */
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

/* Says why, as printf(); returns -1. */
int wire_fail(struct wire *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int wire_end(struct wire *w, enum wire_end end, const char *why);

/* Says how a wait has ended, and returns -1; 0 for CONN_OK. */
int wire_ended(struct wire *w, enum conn_end end);

/*
 * Writes a question. Returns -1 also if the answer to an earlier question is
 * late, because it would be taken for the answer to this one.
 */
int wire_write(struct wire *w, const char *p, size_t n);

/* As wire_write(), for w->out, which is then empty. */
int wire_send(struct wire *w);

/*
 * Makes the watchdog resume the guest, whatever was half sent, over another
 * connection if this one was cut and is to be repaired; see watchdog_leave().
 * -1: QEMU does not answer soon or, if it never did, at once. The guest is then
 * resumed as soon as QEMU does.
 */
int wire_release(struct wire *w, bool answered, bool repair);

/* Closes the connection; the guest stays as it is. */
void wire_close(struct wire *w);

#endif
