/* SPDX-License-Identifier: ISC */
#include "wire/address.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "wire/clock.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/xalloc.h"

static bool
is_port(const char *s)
{
	uint64_t n;

	return num_u64(s, strlen(s), &n) == 0 && n >= 1 && n <= 65535;
}

#define HOST_BYTES                             \
	"0123456789abcdefghijklmnopqrstuvwxyz" \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ._-"

/* A name or an address; in brackets one with colons. */
static bool
is_host(const char *s, size_t n)
{
	if (n > 2 && s[0] == '[' && s[n - 1] == ']')
		return s[1] != '-' && strspn(s + 1, HOST_BYTES ":%") >= n - 2;
	return s[0] != '-' && strspn(s, HOST_BYTES) >= n;
}

static bool
is_socket(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISSOCK(st.st_mode);
}

int
address_parse(struct address *a, const char *text)
{
	bool is_unix = strncmp(text, "unix:", 5) == 0;
	bool tcp = strncmp(text, "tcp:", 4) == 0;
	const char *at = text + (is_unix ? 5 : tcp ? 4 : 0);
	const char *colon = strrchr(at, ':');
	size_t n = colon ? (size_t)(colon - at) : 0;

	*a = (struct address){.text = text};
	if (is_unix || (!tcp && is_socket(at))) {
		a->path = xstrdup(at);
	} else if (colon != NULL && is_port(colon + 1) && is_host(at, n)) {
		a->host = n == 0	 ? xstrdup("127.0.0.1")
			  : at[0] == '[' ? xmemdup0(at + 1, n - 2)
					 : xmemdup0(at, n);
		a->port = xstrdup(colon + 1);
	} else if (at[0] == 0 || (colon != NULL && strchr(at, '/') == NULL)) {
		msg("%s: not an address (host:port, :port or the path of a "
		    "socket)",
		    msg_str(at));
		return -1;
	} else {
		a->path = xstrdup(at);
	}
	return 0;
}

void
address_done(struct address *a)
{
	free(a->path);
	free(a->host);
	free(a->port);
	*a = (struct address){0};
}

/* Finishes a connect() that was started without blocking. */
static int
connected(int fd, uint64_t deadline)
{
	socklen_t len = sizeof(int);
	int err = 0;

	if (wait_fd(fd, POLLOUT, deadline, 1) != 1) {
		errno = ETIMEDOUT;
		return -1;
	}
	if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) != 0)
		return -1;
	errno = err;
	return err ? -1 : 0;
}

/* connect(), as far as it takes until the deadline. -1 with errno. */
static int
finish(int fd, const struct sockaddr *sa, socklen_t len, uint64_t deadline)
{
	while (connect(fd, sa, len) != 0) {
		if (errno == EINPROGRESS)
			return connected(fd, deadline);
		/* The backlog of a Unix listener is full. */
		if (errno != EAGAIN || clock_now() >= deadline ||
		    wait_fd(-1, 0, clock_now() + 10 * NS_PER_MS, 1) < 0)
			return -1;
	}
	return 0;
}

static int
connect_to(const struct addrinfo *to, uint64_t deadline, address_watch *watch,
    void *arg)
{
	int one = 1;
	int fd = socket(
	    to->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	if ((watch != NULL && watch(arg, fd) != 0) ||
	    finish(fd, to->ai_addr, to->ai_addrlen, deadline) != 0) {
		const int err = errno;

		close(fd);
		errno = err;
		return -1;
	}
	if (to->ai_family != AF_UNIX)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
	return fd;
}

int
address_connect(
    const struct address *a, uint64_t timeout, address_watch *watch, void *arg)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo own = {.ai_family = AF_UNIX,
	    .ai_addr = (struct sockaddr *)&sun,
	    .ai_addrlen = sizeof sun};
	struct addrinfo *list = &own;
	const uint64_t deadline = clock_now() + timeout;
	int fd = -1;

	if (a->path != NULL && strlen(a->path) >= sizeof sun.sun_path) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (a->path != NULL) {
		strcpy(sun.sun_path, a->path);
	} else if (getaddrinfo(a->host, a->port, &hints, &list) != 0) {
		errno = EHOSTUNREACH;
		return -1;
	}
	for (struct addrinfo *i = list; i != NULL && fd < 0; i = i->ai_next)
		fd = connect_to(i, deadline, watch, arg);
	if (list != &own)
		freeaddrinfo(list);
	return fd;
}
