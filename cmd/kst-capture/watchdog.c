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

enum { RESUME_MS = 2000 };

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

static void
resume_guest(int fd, const char *resume, const char *answer)
{
	uint64_t deadline = clock_now() + RESUME_MS * NS_PER_MS;
	struct buf in = BUF_INIT;

	if (conn_write(fd, resume, strlen(resume), deadline, CONN_PATIENT) !=
	    CONN_OK)
		return;
	while (strstr(buf_str(&in), answer) == NULL &&
	       conn_read(fd, &in, deadline, 0, CONN_PATIENT) == CONN_OK)
		;
	buf_done(&in);
}

static void
child(int fd, int pipe_fd, const char *resume, const char *answer)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE,
	    SIGALRM, SIGUSR1, SIGUSR2};
	ssize_t n;
	char c;

	setsid();
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		signal(ignored[i], SIG_IGN);
	close_others(fd, pipe_fd);
	do
		n = read(pipe_fd, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0)
		resume_guest(fd, resume, answer);
	_exit(0);
}

int
watchdog_start(
    struct watchdog *w, int fd, const char *resume, const char *answer)
{
	int p[2];

	w->pid = 0;
	if (pipe2(p, O_CLOEXEC) != 0)
		return -1;
	w->pid = fork();
	if (w->pid == 0) {
		close(p[1]);
		child(fd, p[0], resume, answer);
	}
	close(p[0]);
	w->pipe = p[1];
	if (w->pid > 0)
		return 0;
	close(p[1]);
	w->pid = 0;
	return -1;
}

void
watchdog_off(struct watchdog *w)
{
	ssize_t n;

	if (w->pid == 0)
		return;
	do
		n = write(w->pipe, "", 1);
	while (n < 0 && errno == EINTR);
	close(w->pipe);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
	w->pid = 0;
}
