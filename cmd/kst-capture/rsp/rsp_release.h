/* SPDX-License-Identifier: ISC */
/* Resumes guests whose conversation has ended. */
#ifndef RSP_RELEASE_H
#define RSP_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

struct address;

/*
 * Resumes a guest over a socket whose conversation was broken off, and waits
 * for the answer among everything that comes. Returns -1 if it has not come at
 * the deadline.
 */
int rsp_release(int fd, uint64_t deadline);

/*
 * Resumes a guest over a new connection, because a dead debugger has left the
 * guest stopped, or something between us and QEMU has cut the connection.
 * Returns 1 if nobody can be reached. Returns -1 also without the right to
 * connect.
 */
int rsp_repair(const struct address *a, uint64_t timeout);

/*
 * Starts the watchdog of a struct rsp_link, for address_connect(). It must
 * start before the connection is made, because QEMU stops the guest as soon as
 * it accepts that. A guest that was stopped before stays stopped.
 */
int rsp_guard(void *link, int fd);

/*
 * Whether a QEMU of this version, such as `7.2.22`, reports the stop that a new
 * connection causes without being asked.
 */
bool rsp_reports_stop(const char *version);

#endif
