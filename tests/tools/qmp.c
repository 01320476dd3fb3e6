/* SPDX-License-Identifier: ISC */
/*
 * Speaks QMP to the guest of a test: sends one command, or listens to the STOP
 * and RESUME events to tell from outside for how long a sampler stops a guest.
 *
 *	qmp SOCKET status               running, paused, ...
 *	qmp SOCKET COMMAND              stop, cont, quit, system_reset
 *	qmp SOCKET meter SECONDS        one line a stop: its microseconds
 *
 * The meter ends early, status 0, on SIGTERM, SIGINT or when QEMU goes away.
 * It says "listening" on stderr once no event can be missed.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"

static volatile sig_atomic_t ended;

static void
on_signal(int sig)
{
	(void)sig;
	ended = 1;
}

static double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int
dial(const char *path)
{
	struct sockaddr_un sun = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd < 0 || strlen(path) >= sizeof sun.sun_path)
		msg_die(1, "no socket for %s", path);
	strcpy(sun.sun_path, path);
	if (connect(fd, (struct sockaddr *)&sun, sizeof sun) != 0)
		msg_die(1, "%s: %s", path, strerror(errno));
	return fd;
}

/* The next line without its end, or NULL: the end, the deadline, a signal. */
static const char *
line(int fd, double deadline)
{
	static struct buf in = BUF_INIT;
	static size_t used;

	memmove(in.p, in.p + used, in.len - used);
	in.len -= used;
	used = 0;
	for (;;) {
		char *nl = in.len ? memchr(in.p, '\n', in.len) : NULL;
		struct pollfd p = {.fd = fd, .events = POLLIN};
		double left = deadline - seconds();
		ssize_t n;

		if (nl != NULL) {
			*nl = 0;
			used = (size_t)(nl - in.p) + 1;
			return in.p;
		}
		if (ended || left <= 0)
			return NULL;
		if (poll(&p, 1, (int)(left * 1e3) + 1) <= 0)
			continue;
		buf_room(&in, 4096);
		n = read(fd, in.p + in.len, 4096);
		if (n <= 0)
			return NULL;
		in.len += (size_t)n;
	}
}

/* Sends a command and returns its answer's line; a minute at most. */
static const char *
call(int fd, const char *command)
{
	double deadline = seconds() + 60;
	const char *l;
	char text[200];

	snprintf(text, sizeof text, "{\"execute\":\"%s\"}\n", command);
	if (write(fd, text, strlen(text)) < 0)
		msg_die(1, "write: %s", strerror(errno));
	while ((l = line(fd, deadline)) != NULL)
		if (strncmp(l, "{\"return\"", 9) == 0 ||
		    strncmp(l, "{\"error\"", 8) == 0)
			return l;
	if (strcmp(command, "quit") == 0)
		return "";
	msg_die(1, "no answer to %s", command);
}

/* The time of an event: {"timestamp": {"seconds": S, "microseconds": U}... */
static long long
micros(const char *l)
{
	const char *s = strstr(l, "\"seconds\": ");
	const char *u = strstr(l, "\"microseconds\": ");

	if (s == NULL || u == NULL)
		msg_die(1, "an event without time");
	return atoll(s + 11) * 1000000 + atoll(u + 16);
}

static void
meter(int fd, double duration)
{
	double deadline = seconds() + duration;
	long long stopped = -1;
	const char *l;

	fprintf(stderr, "listening\n");
	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((l = line(fd, deadline)) != NULL) {
		if (strstr(l, "\"event\": \"STOP\"") != NULL) {
			stopped = micros(l);
		} else if (strstr(l, "\"event\": \"RESUME\"") != NULL) {
			if (stopped >= 0)
				printf("%lld\n", micros(l) - stopped);
			stopped = -1;
		}
	}
}

static void
status(int fd)
{
	const char *l = call(fd, "query-status");
	const char *s = strstr(l, "\"status\": \"");

	if (s == NULL)
		msg_die(1, "what status is this: %s", l);
	printf("%.*s\n", (int)strcspn(s + 11, "\""), s + 11);
}

int
main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = on_signal};
	int fd;

	msg_init(argv[0]);
	if (argc < 3)
		msg_die(2, "usage: qmp SOCKET COMMAND|status|meter SECONDS");
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGINT, &sa, NULL);
	fd = dial(argv[1]);
	if (line(fd, seconds() + 10) == NULL)
		msg_die(1, "%s: no greeting", argv[1]);
	call(fd, "qmp_capabilities");
	if (strcmp(argv[2], "status") == 0)
		status(fd);
	else if (strcmp(argv[2], "meter") == 0)
		meter(fd, argc > 3 ? atof(argv[3]) : 10);
	else if (strncmp(call(fd, argv[2]), "{\"error\"", 8) == 0)
		msg_die(1, "%s failed", argv[2]);
	return fflush(stdout) == 0 ? 0 : 1;
}
