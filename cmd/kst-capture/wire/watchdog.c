/* SPDX-License-Identifier: ISC */
/*
 * Knows how a child outlives its parent: a pipe whose only writing end is the
 * parent's gives an end of file when the parent is gone.
 */
#include "wire/watchdog.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "wire/clock.h"
#include "wire/conn.h"

enum {
	QUESTION_MS = 1000,
	MUTE_MS = 2000,	      /* for a stub that never said anything */
	RESUME_MS = 86400000, /* for QEMU that stands still itself: a day */
	POLL_MS = 2,
	QUIET_MS = 100, /* after which no more answers come */
	ANSWER_MAX = 16 << 20
};

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

/*
 * Appends what comes until the text, which is not in it yet, has come or time
 * is up; `quiet`: or nothing has come for so long. Of a stub that talks without
 * end the beginning is enough.
 */
static enum conn_end
hear(
    int fd, const char *text, uint64_t deadline, uint64_t quiet, struct buf *in)
{
	enum conn_end end = CONN_OK;
	size_t from = 0, n = strlen(text), most = in->len + ANSWER_MAX;

	while (end == CONN_OK && in->len < most) {
		uint64_t limit = quiet ? clock_now() + quiet : deadline;

		end = conn_read(fd, in, limit, 0, CONN_PATIENT);
		if (memmem(in->p + from, in->len - from, text, n) != NULL)
			return end;
		from = in->len < n ? 0 : in->len - n;
	}
	return end == CONN_OK ? CONN_TIMEOUT : end;
}

/*
 * The parent is gone. A stub that says nothing at all serves somebody else,
 * and will stop the guest when it takes up the dead connection: the bytes that
 * undo it wait there. Returns the exit status, 0 when the guest is left as it
 * shall be.
 */
static int
take_over(int fd, const struct watchdog_words *w, bool armed)
{
	uint64_t limit = clock_now() + QUESTION_MS * NS_PER_MS;
	uint64_t patience = RESUME_MS;
	struct buf in = BUF_INIT;
	enum conn_end end;

	if (!armed && w->question != NULL) {
		end = conn_write(
		    fd, w->question, strlen(w->question), limit, CONN_PATIENT);
		if (end == CONN_OK)
			hear(fd, w->end, limit, 0, &in);
		if (in.len == 0)
			patience = MUTE_MS;
		armed = in.len == 0 || w->had_run(buf_str(&in));
	}
	if (!armed)
		return 0;
	limit = clock_now() + patience * NS_PER_MS;
	in.len = 0;
	end = conn_write(fd, w->resume, strlen(w->resume), limit, CONN_PATIENT);
	if (end == CONN_OK)
		end = hear(fd, w->answer, limit, 0, &in);
	if (end != CONN_OK)
		return 1;
	/* That can be the answer to what was asked before. */
	hear(fd, "\377", limit, QUIET_MS * NS_PER_MS, &in);
	return 0;
}

static void
child(int fd, int pipe_fd, const struct watchdog_words *words, bool armed)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE,
	    SIGALRM, SIGUSR1, SIGUSR2};
	char c = ARM;
	ssize_t n;

	setsid();
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
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
	_exit(take_over(fd, words, armed));
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

int
watchdog_leave(struct watchdog *w, uint64_t deadline)
{
	int status = 1;
	pid_t ended;

	if (w->pid == 0)
		return -1;
	tell(w, ARM);
	close(w->pipe);
	while ((ended = waitpid(w->pid, &status, WNOHANG)) == 0 &&
	       clock_now() < deadline)
		wait_fd(-1, clock_now() + POLL_MS * NS_PER_MS, CONN_PATIENT);
	w->pid = 0;
	return ended > 0 && status == 0 ? 0 : -1;
}
