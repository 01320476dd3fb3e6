/* SPDX-License-Identifier: ISC */
/*
 * Waits by ppoll(), and handles signals. Three seconds after the first one
 * comes a second one by itself: QEMU may never answer.
 */
#include "wire/clock.h"

#include <errno.h>
#include <poll.h>
#include <stddef.h>
#include <time.h>
#include <unistd.h>

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
	if (sig == SIGALRM && exit_on_second)
		return; /* QEMU is not what it waits for */
	signals_caught = signals_caught + 1;
	alarm(signals_caught == 1 ? 3 : 0);
	if (signals_caught > 1 && exit_on_second)
		_exit(1);
}

void
signals_init(void)
{
	struct sigaction sa = {.sa_handler = on_signal};

	sigemptyset(&held);
	sigaddset(&held, SIGINT);
	sigaddset(&held, SIGTERM);
	sigaddset(&held, SIGHUP);
	sigaddset(&held, SIGALRM);
	sigprocmask(SIG_BLOCK, &held, &original);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	sigaction(SIGALRM, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

void
signals_free(void)
{
	exit_on_second = 1;
	sigprocmask(SIG_UNBLOCK, &held, NULL);
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
