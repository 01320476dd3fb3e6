/* SPDX-License-Identifier: ISC */
/* Finds out who is at the other end of a connection. */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether the other end is on this machine. */
bool peer_is_local(int fd);

/*
 * The process that listens at the other end, on this machine and of a user
 * whose processes we may look into; 0: unknown.
 */
pid_t peer_process(int fd);

#endif
