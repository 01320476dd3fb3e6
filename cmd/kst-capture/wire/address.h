/* SPDX-License-Identifier: ISC */
/*
 * Where a gdb stub or a monitor listens: `host:port`, `:port` (this machine)
 * or the path of a Unix socket.
 */
#ifndef ADDRESS_H
#define ADDRESS_H

#include <stdint.h>

struct address {
	const char *text; /* as the user wrote it; not owned */
	char *path;	  /* of a Unix socket; else NULL */
	char *host;	  /* a name or address without brackets; else NULL */
	char *port;	  /* digits, 1 to 65535; else NULL */
};

/*
 * Takes the text apart. `text` must outlive the struct. Returns -1 after a
 * message if it is not an address.
 */
int address_parse(struct address *a, const char *text);
void address_done(struct address *a);

/*
 * Called with a socket that is about to be connected; -1 with errno prevents
 * that.
 */
typedef int address_watch(void *arg, int fd);

/*
 * Connects within `timeout` ns. Returns a non-blocking, close-on-exec
 * descriptor, or -1 with errno. QEMU's gdb stub stops the guest when a client
 * connects: never call this just to look whether somebody listens. `watch`,
 * unless NULL, is called with each socket tried.
 */
int address_connect(
    const struct address *a, uint64_t timeout, address_watch *watch, void *arg);

#endif
