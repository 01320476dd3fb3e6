/* SPDX-License-Identifier: ISC */
/* Who is at the other end of a connection. */
#ifndef PEER_H
#define PEER_H

#include <stdbool.h>
#include <sys/types.h>

/* Whether that is on this machine. */
bool peer_is_local(int fd);

/*
 * The process that listens there, on this machine and of a user whose
 * processes we may look into; 0: not known.
 */
pid_t peer_process(int fd);

#endif
