/* SPDX-License-Identifier: ISC */
/*
 * A Unix socket tells by itself. Of TCP, the socket that listens is in a table
 * of the system's, and its number is among the descriptors of its process. The
 * connection's own socket has none until it is accepted.
 */
#include "wire/peer.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The other end; false: it has no name. */
static bool
name_of(int fd, struct sockaddr_storage *a)
{
	socklen_t len = sizeof *a;

	memset(a, 0, sizeof *a);
	return getpeername(fd, (struct sockaddr *)a, &len) == 0;
}

bool
peer_is_local(int fd)
{
	struct sockaddr_storage a;
	const struct sockaddr_in *in = (const void *)&a;
	const struct sockaddr_in6 *in6 = (const void *)&a;

	if (!name_of(fd, &a))
		return false;
	return a.ss_family == AF_UNIX ||
	       (a.ss_family == AF_INET &&
		   ntohl(in->sin_addr.s_addr) >> 24 == 127) ||
	       (a.ss_family == AF_INET6 &&
		   IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr));
}

/* `  0: 0100007F:04D2 00000000:0000 0A … UID TIMEOUT INODE` */
static unsigned long
listener_in(const char *table, unsigned port)
{
	unsigned long inode = 0, number;
	unsigned own, state;
	char line[512];
	FILE *f = fopen(table, "re");

	while (f != NULL && inode == 0 && fgets(line, sizeof line, f) != NULL)
		if (sscanf(line,
			" %*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x %*s %*s %*s "
			"%*u %*u %lu",
			&own, &state, &number) == 3 &&
		    own == port && state == 10)
			inode = number;
	if (f != NULL)
		fclose(f);
	return inode;
}

/* Whether a process, by its number in /proc, has such a descriptor. */
static bool
has_open(const char *pid, const char *what)
{
	char path[300], to[64];
	struct dirent *e;
	bool found = false;
	DIR *d;

	snprintf(path, sizeof path, "/proc/%s/fd", pid);
	d = opendir(path);
	while (d != NULL && !found && (e = readdir(d)) != NULL) {
		const ssize_t n =
		    readlinkat(dirfd(d), e->d_name, to, sizeof to - 1);

		found = n > 0 && (size_t)n == strlen(what) &&
			memcmp(to, what, (size_t)n) == 0;
	}
	if (d != NULL)
		closedir(d);
	return found;
}

static pid_t
owner_of(unsigned long inode)
{
	struct dirent *e;
	char what[40];
	long pid = 0;
	DIR *d = opendir("/proc");

	snprintf(what, sizeof what, "socket:[%lu]", inode);
	while (d != NULL && pid == 0 && (e = readdir(d)) != NULL)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
		    has_open(e->d_name, what))
			pid = atol(e->d_name);
	if (d != NULL)
		closedir(d);
	return (pid_t)pid;
}

pid_t
peer_process(int fd)
{
	struct sockaddr_storage a;
	unsigned long inode;
	unsigned port;

	if (!peer_is_local(fd) || !name_of(fd, &a))
		return 0;
#ifdef __linux__
	if (a.ss_family == AF_UNIX) {
		struct ucred of = {0};
		socklen_t len = sizeof of;

		return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &of, &len) == 0
			   ? of.pid
			   : 0;
	}
#endif
	port = ntohs(
	    a.ss_family == AF_INET
		? ((const struct sockaddr_in *)(const void *)&a)->sin_port
		: ((const struct sockaddr_in6 *)(const void *)&a)->sin6_port);
	inode = listener_in("/proc/net/tcp", port);
	if (inode == 0)
		inode = listener_in("/proc/net/tcp6", port);
	return inode != 0 ? owner_of(inode) : 0;
}
