/* SPDX-License-Identifier: ISC */
/*
 * Knows how a child outlives its parent: a pipe whose only writing end is the
 * parent's gives an end of file when the parent is gone.
 */
#include "watchdog.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "clock.h"
#include "conn.h"

enum { RESUME_MS = 2000, QUESTION_MS = 1000 };

/* What the parent says through the pipe. */
enum { OFF = 0, ARM = 1 };

/* Only the socket and the pipe stay open: what the parent's reader or writer
 * waits for must not wait for the child. */
static void
close_others(int fd, int pipe_fd)
{
	int low = fd < pipe_fd ? fd : pipe_fd;
	int high = fd < pipe_fd ? pipe_fd : fd;

	if (low > 0)
		close_range(0, (unsigned)low - 1, 0);
	if (high > low + 1)
		close_range((unsigned)low + 1, (unsigned)high - 1, 0);
	close_range((unsigned)high + 1, ~0U, 0);
}

/* Sends; returns whether `answer` came back. *any: whether anything did. */
static bool
say(int fd, const char *text, const char *answer, int ms, bool *any)
{
	uint64_t deadline = clock_now() + (uint64_t)ms * NS_PER_MS;

	*any = false;
	return conn_write(fd, text, strlen(text), deadline, CONN_PATIENT) ==
		   CONN_OK &&
	       conn_await(fd, answer, deadline, any) == CONN_OK;
}

/*
 * The parent is gone. A stub that says nothing at all serves somebody else,
 * and will stop the guest when it takes up the dead connection: the bytes that
 * undo it wait there.
 */
static void
take_over(int fd, const struct watchdog_words *w, bool armed)
{
	bool any;

	if (armed ||
	    (w->question != NULL &&
		(say(fd, w->question, w->had_run, QUESTION_MS, &any) || !any)))
		say(fd, w->resume, w->answer, RESUME_MS, &any);
}

static void
child(int fd, int pipe_fd, const struct watchdog_words *words, bool armed)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE,
	    SIGALRM, SIGUSR1, SIGUSR2};
	char c = ARM;
	ssize_t n;

	setsid();
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	close_others(fd, pipe_fd);
	while ((n = read(pipe_fd, &c, 1)) != 0) {
		if (n == 1 && c == OFF)
			_exit(0);
		if (n == 1)
			armed = true;
		else if (errno != EINTR)
			break;
	}
	take_over(fd, words, armed);
	_exit(0);
}

int
watchdog_start(
    struct watchdog *w, int fd, const struct watchdog_words *words, bool armed)
{
	int p[2];

	w->pid = 0;
	if (pipe2(p, O_CLOEXEC) != 0)
		return -1;
	w->pid = fork();
	if (w->pid == 0) {
		close(p[1]);
		child(fd, p[0], words, armed);
	}
	close(p[0]);
	w->pipe = p[1];
	if (w->pid > 0)
		return 0;
	close(p[1]);
	w->pid = 0;
	return -1;
}

static void
tell(struct watchdog *w, char c)
{
	ssize_t n;

	do
		n = write(w->pipe, &c, 1);
	while (n < 0 && errno == EINTR);
}

void
watchdog_arm(struct watchdog *w)
{
	if (w->pid != 0)
		tell(w, ARM);
}

void
watchdog_off(struct watchdog *w)
{
	if (w->pid == 0)
		return;
	tell(w, OFF);
	close(w->pipe);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
}
