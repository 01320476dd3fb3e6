/* SPDX-License-Identifier: ISC */
/*
 * Waits by ppoll(), and handles signals. Three seconds after the first one
 * comes a second one by itself: QEMU may never answer.
 */
#include "wire/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { READ_SIZE = 64 << 10 };

volatile sig_atomic_t signals_caught;

static volatile sig_atomic_t exit_on_second;
static sigset_t held, original;

static uint64_t
clock_get(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

uint64_t
clock_now(void)
{
	return clock_get(CLOCK_MONOTONIC);
}

uint64_t
clock_wall(void)
{
	return clock_get(CLOCK_REALTIME);
}

static void
on_signal(int sig)
{
	static uint64_t first;
	uint64_t now = clock_now();

	if (sig == SIGALRM && exit_on_second)
		return; /* QEMU is not what it waits for */
	/* timeout(1) signals a process and then its group */
	if (signals_caught == 1 && now - first < NS_PER_S)
		return;
	if (signals_caught == 0)
		first = now;
	signals_caught = signals_caught + 1;
	alarm(signals_caught == 1 ? 3 : 0);
	if (signals_caught > 1 && exit_on_second)
		_exit(1);
}

void
signals_init(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGALRM};
	const size_t n = sizeof caught / sizeof *caught;
	struct sigaction sa = {.sa_handler = on_signal};

	sigemptyset(&held);
	sigaddset(&held, SIGCHLD); /* of the watchdog */
	for (size_t i = 0; i < n; i++)
		sigaddset(&held, caught[i]);
	sigprocmask(SIG_BLOCK, &held, &original);
	for (size_t i = 0; i < n; i++)
		sigaction(caught[i], &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void
signals_free(void)
{
	/* What came before the write does not end it. */
	sigprocmask(SIG_UNBLOCK, &held, NULL);
	exit_on_second = 1;
}

void
signals_hold(void)
{
	sigprocmask(SIG_BLOCK, &held, NULL);
	exit_on_second = 0;
}

void
signals_die_of_pipe(void)
{
	signal(SIGPIPE, SIG_DFL);
	raise(SIGPIPE);
	_exit(128 + SIGPIPE);
}

int
wait_fd(int fd, short events, uint64_t deadline, int max_signals)
{
	for (;;) {
		struct pollfd p = {.fd = fd, .events = events};
		uint64_t now = clock_now();
		uint64_t left = deadline > now ? deadline - now : 0;
		struct timespec t = {
		    .tv_sec = (time_t)(left / NS_PER_S),
		    .tv_nsec = (long)(left % NS_PER_S),
		};
		int n;

		if (signals_caught > max_signals)
			return -1;
		n = ppoll(&p, 1, &t, &original);
		if (signals_caught > max_signals)
			return -1;
		if (n > 0)
			return 1;
		if (n == 0 && clock_now() >= deadline)
			return 0;
		if (n < 0 && errno != EINTR)
			return 0;
	}
}

static enum conn_end
await(int fd, short events, uint64_t deadline, int max_signals)
{
	const int status = wait_fd(fd, events, deadline, max_signals);

	return status > 0 ? CONN_OK : status < 0 ? CONN_HURRY : CONN_TIMEOUT;
}

/* Whether a call that has failed may be tried again. */
static bool
is_passing(void)
{
	return errno == EINTR || errno == EAGAIN || errno == EWOULDBLOCK;
}

enum conn_end
conn_write(int fd, const char *p, size_t n, uint64_t deadline, int max_signals)
{
	enum conn_end end = CONN_OK;

	while (n > 0 && end == CONN_OK) {
		ssize_t w = write(fd, p, n);

		if (w < 0) {
			end = is_passing()
				  ? await(fd, POLLOUT, deadline, max_signals)
				  : CONN_CLOSED;
			continue;
		}
		p += w;
		n -= (size_t)w;
	}
	return end;
}

/* As read(). */
static ssize_t
append(int fd, struct buf *to)
{
	ssize_t n;

	if (to->cap - to->len < READ_SIZE)
		buf_room(to, READ_SIZE);
	n = read(fd, to->p + to->len, READ_SIZE);
	if (n > 0)
		to->len += (size_t)n;
	return n;
}

enum conn_end
conn_read(int fd, struct buf *to, uint64_t deadline, int max_signals)
{
	for (;;) {
		const enum conn_end end =
		    await(fd, POLLIN, deadline, max_signals);
		ssize_t n;

		if (end != CONN_OK)
			return end;
		n = append(fd, to);
		if (n > 0)
			return CONN_OK;
		if (n == 0 || !is_passing())
			return CONN_CLOSED;
	}
}

void
conn_watch(int fd, struct buf *to, uint64_t ns)
{
	const uint64_t until = clock_now() + ns;

	while (append(fd, to) < 0 && is_passing() && clock_now() < until)
		;
}

char *
lines_next(struct lines *in, size_t *len)
{
	char *line = in->b.p + in->at, *nl = NULL;

	if (in->b.len > in->seen)
		nl = memchr(in->b.p + in->seen, '\n', in->b.len - in->seen);
	if (nl == NULL) {
		in->b.len -= in->at;
		if (in->at > 0)
			memmove(in->b.p, line, in->b.len);
		in->at = 0;
		in->seen = in->b.len;
		return NULL;
	}
	*len = (size_t)(nl - line);
	in->at = in->seen = in->at + *len + 1;
	return line;
}
