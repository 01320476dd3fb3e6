/* SPDX-License-Identifier: ISC */
/*
 * What sets a guest running when the conversation with its stub has broken off:
 * said by the watchdog, and where gdb has left a guest stopped.
 */
#ifndef RSP_RELEASE_H
#define RSP_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

struct address;

/* How QEMU reports that it has stopped a running guest: by SIGINT. */
#define RSP_STOPPED "$T02"

/*
 * Says that on a socket, and waits for the answer among all that comes. Returns
 * -1 when it has not come at the deadline.
 */
int rsp_release(int fd, uint64_t deadline);

/*
 * The same over a connection of its own: a dead debugger has left the guest
 * stopped, or what lay between us and QEMU has cut the connection.
 */
int rsp_repair(const struct address *a, uint64_t timeout);

/*
 * Starts a watchdog, for address_connect(): before the connection, since QEMU
 * stops the guest as soon as it takes that. A guest that stood still before is
 * left as it was.
 */
int rsp_guard(void *watchdog, int fd);

/*
 * Whether a QEMU of this version, `7.2.22...`, reports by itself the stop that
 * a new connection makes.
 */
bool rsp_reports_stop(const char *version);

#endif
