/* SPDX-License-Identifier: ISC */
/*
 * The child notices its parent's end by an end of file on a pair of sockets.
 */
#include "wire/wire.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/msg.h"
#include "base/port.h"
#include "wire/clock.h"

enum {
	QUESTION_MS = 2000,   /* between the parts of an answer */
	MUTE_MS = 3600000,    /* for a stub that never said anything */
	RESUME_MS = 86400000, /* for QEMU that stands still itself: a day */
	POLL_MS = 2,
	QUIET_MS = 100, /* after which no more answers come */
	ANSWER_MAX = 16 << 20
};

/* What the parent says. */
enum { OFF, ARM, REPAIR };

/* How the child ends. */
enum { DONE, CUT, FAILED };

/*
 * Appends what comes until it is what was waited for, or nothing has come for
 * `first` ms at the beginning or for `next` ms later. Of a stub that talks
 * without end the beginning is enough.
 */
static enum conn_end
hear(int fd, bool (*enough)(const char *came), uint64_t first, uint64_t next,
    struct buf *in)
{
	uint64_t limit = clock_now() + first * NS_PER_MS;
	enum conn_end end = CONN_OK;

	in->len = 0;
	while (in->len < ANSWER_MAX) {
		end = conn_read(fd, in, limit, CONN_PATIENT);
		if (end != CONN_OK || (enough != NULL && enough(buf_str(in))))
			return end;
		limit = clock_now() + next * NS_PER_MS;
	}
	return CONN_TIMEOUT;
}

/*
 * A stub that says nothing at all serves somebody else, and will stop the guest
 * when it takes up this connection, or the dead one: then the bytes that undo
 * it wait there.
 */
int
watchdog_resume(int fd, const void *arg, bool armed)
{
	const struct watchdog_words *w = arg;
	uint64_t patience = RESUME_MS;
	struct buf in = BUF_INIT;
	enum conn_end end;

	if (!armed && w->question != NULL) {
		end = conn_write(fd, w->question, strlen(w->question),
		    clock_now() + MUTE_MS * NS_PER_MS, CONN_PATIENT);
		if (end == CONN_OK)
			hear(fd, w->answered, MUTE_MS, QUESTION_MS, &in);
		if (in.len == 0)
			patience = QUIET_MS;
		armed = in.len == 0 || w->had_run(buf_str(&in));
	}
	if (!armed)
		return 0;
	end = conn_write(fd, w->resume, strlen(w->resume),
	    clock_now() + patience * NS_PER_MS, CONN_PATIENT);
	if (end == CONN_OK)
		end = hear(fd, w->resumed, patience, patience, &in);
	if (end != CONN_OK)
		return end == CONN_CLOSED ? CUT : FAILED;
	/* That can be the answer to what was asked before. */
	hear(fd, NULL, QUIET_MS, QUIET_MS, &in);
	return 0;
}

/* A pipe that the child held would keep the reader of our output waiting. */
static void
close_but(int a, int b)
{
	unsigned low = (unsigned)(a < b ? a : b),
		 high = (unsigned)(a + b) - low;

	if (low > 0)
		port_close_fds(0, low - 1);
	if (high > low + 1)
		port_close_fds(low + 1, high - 1);
	port_close_fds(high + 1, ~0U);
}

static _Noreturn void
child(struct watchdog *w, int parent)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE,
	    SIGALRM, SIGUSR1, SIGUSR2};
	bool repairs = false;
	char c = ARM;
	ssize_t n;
	int status;

	setsid();
	signal(SIGCHLD, SIG_DFL);
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	close_but(w->conn, parent);
	/* It waits for that. If it has ended, reading says so. */
	if (write(parent, &c, 1) != 1 && errno != EPIPE)
		_exit(FAILED);
	while ((n = read(parent, &c, 1)) != 0) {
		if (n == 1 && c == OFF)
			_exit(DONE);
		if (n == 1 && c == ARM)
			w->armed = true;
		else if (n == 1)
			repairs = true;
		else if (errno != EINTR)
			break;
	}
	status = w->duty(w->conn, w->arg, w->armed);
	if (status == CUT && repairs && w->repair)
		status = w->repair(w->repair_arg);
	_exit(status < 0 ? FAILED : status);
}

static void
tell(struct watchdog *w, char c)
{
	ssize_t n;

	do
		n = write(w->fd, &c, 1);
	while (n < 0 && errno == EINTR);
}

static void
end(struct watchdog *w)
{
	tell(w, OFF);
	close(w->fd);
	while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static int
start(struct watchdog *w)
{
	int p[2];
	char c;

	w->pid = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p) != 0)
		return -1;
	w->pid = fork();
	if (w->pid == 0) {
		close(p[1]);
		child(w, p[0]);
	}
	close(p[0]);
	w->fd = p[1];
	if (w->pid > 0 && read(w->fd, &c, 1) == 1)
		return 0;
	if (w->pid > 0)
		end(w);
	else
		close(w->fd);
	w->pid = 0;
	return -1;
}

/* The one that is looked after, or NULL. */
static struct watchdog *watched;

/* In a wait of wait_fd(), or of a write while the guest runs. */
static void
on_child(int sig)
{
	struct watchdog *w = watched;
	int saved = errno;

	(void)sig;
	if (w != NULL && waitpid(w->pid, NULL, WNOHANG) == w->pid) {
		close(w->fd);
		if (start(w) != 0) {
			watched = NULL;
			msg("the watchdog was killed, and another one "
			    "cannot be started");
			signals_caught = signals_caught + 1;
		}
	}
	errno = saved;
}

int
watchdog_start(struct watchdog *w)
{
	struct sigaction sa = {.sa_handler = on_child, .sa_flags = SA_RESTART};

	sigaction(SIGCHLD, &sa, NULL);
	if (start(w) != 0)
		return -1;
	watched = w;
	return 0;
}

void
watchdog_arm(struct watchdog *w)
{
	w->armed = true;
	if (w->pid != 0)
		tell(w, ARM);
}

void
watchdog_off(struct watchdog *w)
{
	watched = NULL;
	if (w->pid != 0)
		end(w);
	w->pid = 0;
}

int
watchdog_leave(struct watchdog *w, bool repair, uint64_t deadline)
{
	int status;
	pid_t ended;

	watched = NULL;
	if (w->pid == 0)
		return -1;
	/* One that was killed is replaced: it may not have done it yet. */
	do {
		status = 0;
		if (repair)
			tell(w, REPAIR);
		close(w->fd);
		while (
		    (ended = waitpid(w->pid, &status, WNOHANG)) == 0 &&
		    clock_now() < deadline &&
		    wait_fd(-1, 0, clock_now() + POLL_MS * NS_PER_MS, 2) == 0)
			;
	} while (ended > 0 && WIFSIGNALED(status) && start(w) == 0);
	w->pid = 0;
	if (ended <= 0 || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status) == DONE  ? 0
	       : WEXITSTATUS(status) == CUT ? 1
					    : -1;
}
