/* SPDX-License-Identifier: ISC */
/*
 * Whole writes and waiting reads on descriptors. Every wait has a limit, and
 * ends when a second signal comes.
 */
#ifndef CONN_H
#define CONN_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

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
 * Appends what there is to read, waiting for the first byte. Even while the
 * guest stands still a busy wait is not shorter: it takes a processor that QEMU
 * may need.
 */
enum conn_end conn_read(
    int fd, struct buf *to, uint64_t deadline, int max_signals);

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

#endif
