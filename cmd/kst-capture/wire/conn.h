/* SPDX-License-Identifier: ISC */
/*
 * Whole writes and waiting reads on connections. Every wait has a limit, and
 * ends when a second signal comes.
 */
#ifndef CONN_H
#define CONN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "wire/watchdog.h"

/* How a wait ended; CONN_ERROR is for protocols: the answer is an error. */
enum conn_end { CONN_OK, CONN_ERROR, CONN_TIMEOUT, CONN_CLOSED, CONN_HURRY };

/* For max_signals: no signal ends the wait. */
enum { CONN_PATIENT = 1 << 30 };

/*
 * The descriptor does not block. Deadlines are times of clock_now(); more
 * than max_signals signals end the wait.
 */
enum conn_end conn_write(
    int fd, const char *p, size_t n, uint64_t deadline, int max_signals);

/*
 * Appends what there is to read, waiting for the first byte. For `spin_ns`
 * the wait is a busy one: a sleeper wakes up late, and the guest stands still
 * meanwhile.
 */
enum conn_end conn_read(int fd, struct buf *to, uint64_t deadline,
    uint64_t spin_ns, int max_signals);

/* What was read, of which lines are taken; zero it to begin. */
struct lines {
	struct buf b;
	size_t at, seen; /* lines before `at` are done; no LF before `seen` */
};

/*
 * The next whole line without its LF, valid until more is read into `b`. NULL
 * when more must be.
 */
char *lines_next(struct lines *in, size_t *len);

/* Why a conversation cannot go on; LOST: as `why` says. */
enum wire_end { WIRE_LOST, WIRE_MUTE, WIRE_GONE, WIRE_STOPPED, WIRE_REBOOTED };

/*
 * A connection over which a protocol is spoken. A call that fails returns -1
 * and says why.
 */
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

int wire_write(struct wire *w, const char *p, size_t n);

/* Appends what comes. `spin`: the guest is stopped, be quick. */
int wire_read(struct wire *w, struct buf *to, uint64_t deadline, bool spin);

/*
 * Has the watchdog set the guest running, whatever was half sent. -1: QEMU does
 * not answer, soon or, if it never did, at once; that is done when it does.
 */
int wire_release(struct wire *w, bool answered);

/* Closes; the guest stays as it is. */
void wire_close(struct wire *w);

#endif
