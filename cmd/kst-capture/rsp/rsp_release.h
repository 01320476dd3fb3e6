/* SPDX-License-Identifier: ISC */
/* Sets guests running whose conversation has ended. */
#ifndef RSP_RELEASE_H
#define RSP_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

struct address;

/*
 * Sets a guest running over a socket whose conversation has broken off, and
 * waits for the answer among all that comes. Returns -1 when it has not come at
 * the deadline.
 */
int rsp_release(int fd, uint64_t deadline);

/*
 * The same over a connection of its own: a dead debugger has left the guest
 * stopped, or what lay between us and QEMU has cut the connection. Returns 1
 * when nobody can be reached, and -1 also without the right to connect.
 */
int rsp_repair(const struct address *a, uint64_t timeout);

/*
 * Starts the watchdog of a struct rsp_link, for address_connect(): before the
 * connection, since QEMU stops the guest as soon as it takes that. A guest that
 * stood still before is left as it was.
 */
int rsp_guard(void *link, int fd);

/*
 * Whether a QEMU of this version, `7.2.22...`, reports by itself the stop that
 * a new connection makes.
 */
bool rsp_reports_stop(const char *version);

#endif
