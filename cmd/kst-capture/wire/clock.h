/* SPDX-License-Identifier: ISC */
/*
 * Time, signals, and waits, also for whole writes and reads on descriptors.
 * Every wait of the command ends at a deadline, and no signal can slip in
 * between a check and a wait.
 */
#ifndef CLOCK_H
#define CLOCK_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

/* Monotonic nanoseconds; deadlines are in this clock. */
uint64_t clock_now(void);

/* Nanoseconds since the epoch. */
uint64_t clock_wall(void);

/*
 * How many of SIGINT, SIGTERM and SIGHUP have come. 3 seconds after the first
 * one a second one counts by itself. What comes within a second of the first
 * one belongs to it.
 */
extern volatile sig_atomic_t signals_caught;

/*
 * Catches those three and ignores SIGPIPE. They are blocked from then on, and
 * delivered only in wait_fd() and between signals_free() and signals_hold().
 * SIGCHLD is also delivered only there.
 */
void signals_init(void);

/*
 * To be called around a write that may block for ever, because of the reader,
 * while the guest runs: a signal that comes then ends the process at once,
 * unless it is the first one.
 */
void signals_free(void);
void signals_hold(void);

/* Ends the process by SIGPIPE, as a filter whose reader has gone does. */
_Noreturn void signals_die_of_pipe(void);

/*
 * Waits for an event of poll(2), such as POLLIN; with fd -1, only for the time.
 * Returns 1 when the event has come, 0 when the deadline has passed, -1 once
 * more than `max_signals` signals have been caught.
 */
int wait_fd(int fd, short events, uint64_t deadline, int max_signals);

/* How a wait ended; CONN_ERROR is for protocols: the answer is an error. */
enum conn_end { CONN_OK, CONN_ERROR, CONN_TIMEOUT, CONN_CLOSED, CONN_HURRY };

/* As max_signals: no signal ends the wait. */
enum { CONN_PATIENT = 1 << 30 };

/*
 * Writes all, with SIGPIPE ignored. The descriptor does not block; more than
 * max_signals signals end the wait.
 */
enum conn_end conn_write(
    int fd, const char *p, size_t n, uint64_t deadline, int max_signals);

/*
 * Waits for the first byte, and appends what can be read. It does not try to
 * read first: hardly ever is an answer there already. A busy wait would not be
 * shorter, even while the guest is stopped: it takes a processor that QEMU may
 * need.
 */
enum conn_end conn_read(
    int fd, struct buf *to, uint64_t deadline, int max_signals);

/*
 * Appends what can be read within ns, without sleeping. For answers that come
 * at once, when nothing else tells the time at which they come: who sleeps is
 * not woken before a guest that was resumed has had the processor for a while,
 * and who does not may have the processor that QEMU needs to resume it.
 */
void conn_watch(int fd, struct buf *to, uint64_t ns);

/* What was read, from which lines are taken; zero it to begin. */
struct lines {
	struct buf b;
	size_t at, seen; /* lines before `at` are done; no LF before `seen` */
};

/*
 * The next whole line without its LF, valid until more is read into `b`. NULL
 * if more must be read.
 */
char *lines_next(struct lines *in, size_t *len);

#endif
