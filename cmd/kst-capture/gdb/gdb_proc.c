/* SPDX-License-Identifier: ISC */
/* How gdb is started, spoken to, ended, and outlived. */
#include "gdb/gdb_proc.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "wire/clock.h"
#include "wire/conn.h"
#include "base/msg.h"
#include "rsp/rsp_link.h"

enum { REPAIR_MS = 3600000, KEEPER_MS = 10000, LINES_MAX = 64 << 20 };

/*
 * No init files, nothing loaded by itself, no terminal's habits. The ELF and
 * the address are not arguments: they follow as quoted strings of MI.
 */
static const char *const arguments[] = {"-nx", "-nh", "-q", "--interpreter=mi2",
    "-iex", "set auto-load off", "-iex", "set auto-load safe-path /nonexistent",
    "-iex", "set confirm off"};

enum { N_ARGUMENTS = sizeof arguments / sizeof arguments[0] };

static _Noreturn void
exec_gdb(const char *gdb, int in, int out, int report)
{
	char *argv[N_ARGUMENTS + 2];
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	argv[0] = (char *)(uintptr_t)gdb;
	for (size_t i = 0; i < N_ARGUMENTS; i++)
		argv[i + 1] = (char *)(uintptr_t)arguments[i];
	argv[N_ARGUMENTS + 1] = NULL;
	setpgid(0, 0);
	dup2(in, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	if (null >= 0)
		dup2(null, STDERR_FILENO);
	signals_reset();
	/* no index cache, no history, no debuginfod server from outside */
	setenv("HOME", "/nonexistent", 1);
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("GDBHISTFILE");
	execvp(gdb, argv);
	null = errno;
	if (write(report, &null, sizeof null) < 0)
		_exit(126);
	_exit(127);
}

/* Reads and drops until the end of the file or the deadline. */
static bool
drain(int fd, uint64_t deadline)
{
	char waste[4096];

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		uint64_t now = clock_now();
		ssize_t n;

		if (now >= deadline)
			return false;
		poll(&p, 1, (int)((deadline - now) / NS_PER_MS) + 1);
		n = read(fd, waste, sizeof waste);
		if (n == 0)
			return true;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return true;
	}
}

/*
 * The keeper's life: it waits for this process to end. To leave a guest
 * paused it ends gdb before that finds its input closed, and detaches.
 */
static _Noreturn void
keep(struct gdb_proc *g, int pipe_fd, const struct address *a, bool paused)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE,
	    SIGALRM, SIGUSR1, SIGUSR2};
	ssize_t n;
	char c;

	setsid();
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
	if (!paused)
		close(g->in);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	do
		n = read(pipe_fd, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n == 0 && paused) {
		kill(g->pid, SIGKILL);
	} else if (n == 0) {
		if (!drain(g->out, clock_now() + KEEPER_MS * NS_PER_MS)) {
			kill(g->pid, SIGKILL);
			drain(g->out, clock_now() + NS_PER_S);
		}
		gdb_repair(a, REPAIR_MS * NS_PER_MS);
	}
	_exit(0);
}

static int
start_keeper(struct gdb_proc *g, const struct address *a, bool paused)
{
	int p[2];

	if (pipe2(p, O_CLOEXEC) != 0)
		return -1;
	g->keeper_pipe = p[1];
	g->keeper = fork();
	if (g->keeper == 0) {
		close(p[1]);
		keep(g, p[0], a, paused);
	}
	close(p[0]);
	return g->keeper > 0 ? 0 : -1;
}

/* Whether gdb was executed; errno says why not. */
static bool
was_executed(int report)
{
	int err = 0;
	ssize_t n;

	do
		n = read(report, &err, sizeof err);
	while (n < 0 && errno == EINTR);
	close(report);
	errno = err;
	return n == 0;
}

int
gdb_start(
    struct gdb_proc *g, const char *gdb, const struct address *a, bool paused)
{
	int in[2], out[2], report[2];

	memset(g, 0, sizeof *g);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, out) != 0 ||
	    pipe2(report, O_CLOEXEC) != 0) {
		msg_errno("gdb cannot be started");
		return -1;
	}
	g->in = in[1];
	g->out = out[0];
	g->pid = fork();
	if (g->pid == 0)
		exec_gdb(gdb, in[0], out[1], report[1]);
	close(in[0]);
	close(out[1]);
	close(report[1]);
	if (g->pid < 0 || !was_executed(report[0])) {
		if (errno == ENOENT)
			msg("no gdb: '%s' is not there (install gdb, or name "
			    "one with --gdb)",
			    msg_str(gdb));
		else
			msg_errno("gdb '%s' cannot be started", msg_str(gdb));
		if (g->pid > 0)
			waitpid(g->pid, NULL, 0);
		close(g->in);
		close(g->out);
		return -1;
	}
	fcntl(g->out, F_SETFL, O_NONBLOCK);
	fcntl(g->in, F_SETFL, O_NONBLOCK);
	if (start_keeper(g, a, paused) == 0)
		return 0;
	msg_errno("fork");
	gdb_stop(g, NS_PER_S, NULL);
	return -1;
}

static enum gdb_end
end_of(enum conn_end e)
{
	return e == CONN_OK	   ? GDB_OK
	       : e == CONN_TIMEOUT ? GDB_TIMEOUT
	       : e == CONN_HURRY   ? GDB_HURRY
				   : GDB_GONE;
}

enum gdb_end
gdb_next(
    struct gdb_proc *g, struct mi_record *r, uint64_t deadline, int max_signals)
{
	size_t seen = g->at;

	for (;;) {
		const char *nl = NULL;
		enum conn_end e;

		if (seen < g->lines.len)
			nl = memchr(
			    g->lines.p + seen, '\n', g->lines.len - seen);
		if (nl) {
			const char *line = g->lines.p + g->at;

			mi_parse(line, (size_t)(nl - line), r);
			g->at = (size_t)(nl + 1 - g->lines.p);
			return GDB_OK;
		}
		seen = g->lines.len - g->at;
		if (seen)
			memmove(g->lines.p, g->lines.p + g->at, seen);
		g->lines.len = seen;
		g->at = 0;
		if (g->lines.len > LINES_MAX)
			return GDB_GONE;
		e = conn_read(g->out, &g->lines, deadline, 0, max_signals);
		if (e != CONN_OK)
			return end_of(e);
	}
}

enum gdb_end
gdb_send(struct gdb_proc *g, const char *command)
{
	struct buf b = BUF_INIT;
	enum conn_end e;

	buf_printf(&b, "%lu%s\n", ++g->token, command);
	e = conn_write(g->in, b.p, b.len, clock_now() + NS_PER_S, CONN_PATIENT);
	buf_done(&b);
	return end_of(e);
}

enum gdb_end
gdb_wait(struct gdb_proc *g, uint64_t deadline,
    void (*each)(void *arg, const struct mi_record *r), void *arg)
{
	struct mi_record r;

	for (;;) {
		enum gdb_end e = gdb_next(g, &r, deadline, 1);

		if (e != GDB_OK)
			return e;
		if (r.kind == MI_RESULT && r.has_token && r.token == g->token)
			break;
		each(arg, &r);
	}
	if (!mi_is(&r, MI_RESULT, "error"))
		return GDB_OK;
	g->error.len = 0;
	if (mi_value(&r, "msg", &g->error) != 0)
		buf_adds(&g->error, "error without a message");
	return GDB_ERROR;
}

bool
gdb_stop(struct gdb_proc *g, uint64_t limit, struct buf *why)
{
	bool ended, killed = false;
	int status = 0;

	if (g->pid == 0)
		return true;
	close(g->in);
	ended = drain(g->out, clock_now() + limit);
	if (!ended) {
		kill(g->pid, SIGKILL);
		killed = true;
	}
	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(g->out);
	g->pid = 0;
	if (why && WIFSIGNALED(status))
		buf_printf(why, "was killed by signal %d", WTERMSIG(status));
	else if (why)
		buf_printf(why, "ended with status %d", WEXITSTATUS(status));
	return !killed && WIFEXITED(status);
}

void
gdb_done(struct gdb_proc *g)
{
	ssize_t n;

	if (g->keeper > 0) {
		do
			n = write(g->keeper_pipe, "", 1);
		while (n < 0 && errno == EINTR);
		close(g->keeper_pipe);
		while (waitpid(g->keeper, NULL, 0) < 0 && errno == EINTR)
			;
	}
	buf_done(&g->lines);
	buf_done(&g->error);
}

int
gdb_repair(const struct address *a, uint64_t timeout)
{
	uint64_t deadline = clock_now() + timeout;
	int fd = address_connect(a, timeout, NULL, NULL), status = -1;

	if (fd < 0)
		return -1;
	/* QEMU may still have half a packet of gdb's. */
	if (conn_write(fd, RSP_RELEASE, strlen(RSP_RELEASE), deadline,
		CONN_PATIENT) == CONN_OK &&
	    conn_await(fd, RSP_RELEASED, deadline, NULL) == CONN_OK)
		status = 0;
	close(fd);
	return status;
}
