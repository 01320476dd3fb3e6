/* SPDX-License-Identifier: ISC */
/* How gdb is announced, started, spoken to, ended, and outlived. */
#include "gdb/gdb_proc.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "guest/backend.h"
#include "rsp/rsp_link.h"
#include "rsp/rsp_release.h"
#include "rsp/rsp_who.h"
#include "wire/clock.h"

enum { REPAIR_MS = 3600000, DETACH_MS = 10000, LINES_MAX = 64 << 20 };

static int
ask(const struct target *t, const char *text, bool *paused)
{
	struct rsp_who who = {0};
	struct rsp_link l;
	int status;

	if (link_open(&l, &t->addr, t->timeout, t->paused) != 0) {
		msg("nobody listens at %s: %s (was QEMU started with -s or "
		    "-gdb?)",
		    text, strerror(errno));
		return -1;
	}
	status = rsp_meet(&l, &who);
	*paused = t->paused;
	if (status == 0 && who.qemu && !t->paused)
		status = rsp_state(&l, paused);
	if (status != 0 && l.w.end != WIRE_MUTE)
		msg("%s: %s", text, l.w.why);
	else if (status != 0)
		msg("the gdb stub at %s does not answer: is another debugger "
		    "connected to it?",
		    text);
	if (status == 0 && !who.qemu) {
		/* gdbserver would leave with the one that detaches. */
		msg("%s", who.kind);
		watchdog_off(&l.w.dog);
	} else if (!*paused && wire_release(&l.w, l.answered) != 0 &&
		   status == 0) {
		msg("%s: the gdb stub does not let the guest go", text);
		status = -1;
	}
	link_close(&l);
	return status;
}

int
gdb_look_first(const struct target *t, bool *paused)
{
	const struct address *a = &t->addr;
	const char *text = msg_str(a->text);

	if (a->path && strpbrk(a->path, "\n\r:")) {
		msg("%s: gdb takes no sockets with a colon or line ends in "
		    "their paths",
		    msg_str(a->path));
		return -1;
	}
	return ask(t, text, paused);
}

static _Noreturn void
exec_gdb(const char *gdb, int fd, int report)
{
	/*
	 * No init files, nothing loaded by itself, no terminal's habits. The
	 * ELF and the address follow as quoted strings of MI.
	 */
	const char *const argv[] = {gdb, "-nx", "-nh", "-q",
	    "--interpreter=mi2", "-iex", "set auto-load off", "-iex",
	    "set auto-load safe-path /nonexistent", "-iex", "set confirm off",
	    NULL};
	int err = open("/dev/null", O_WRONLY | O_CLOEXEC);

	setpgid(0, 0);
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
	signals_reset();
	/* no index cache, no history, no debuginfod server from outside */
	setenv("HOME", "/nonexistent", 1);
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("GDBHISTFILE");
	execvp(gdb, (char *const *)argv);
	err = errno;
	_exit(write(report, &err, sizeof err) < 0 ? 126 : 127);
}

/* Reads and drops until the end of the file or the deadline. */
static bool
drain(int fd, uint64_t deadline)
{
	struct buf waste = BUF_INIT;
	enum conn_end e;

	do {
		waste.len = 0;
		e = conn_read(fd, &waste, deadline, CONN_PATIENT);
	} while (e == CONN_OK && clock_now() < deadline);
	buf_done(&waste);
	return e == CONN_CLOSED;
}

/*
 * The watchdog's duty. To leave a guest paused it ends gdb before that finds
 * its input closed, and detaches.
 */
static int
keep(int fd, const void *arg, bool armed)
{
	const struct gdb_proc *g = arg;

	(void)armed;
	if (g->paused) {
		kill(g->pid, SIGKILL);
		return 0;
	}
	shutdown(fd, SHUT_WR);
	if (!drain(fd, clock_now() + DETACH_MS * NS_PER_MS)) {
		kill(g->pid, SIGKILL);
		drain(fd, clock_now() + NS_PER_S);
	}
	return rsp_repair(g->addr, REPAIR_MS * NS_PER_MS);
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
	int pair[2], report[2];

	*g = (struct gdb_proc){.addr = a, .paused = paused};
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0 ||
	    pipe2(report, O_CLOEXEC) != 0) {
		msg_errno("gdb cannot be started");
		return -1;
	}
	g->fd = pair[0];
	g->pid = fork();
	if (g->pid == 0)
		exec_gdb(gdb, pair[1], report[1]);
	close(pair[1]);
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
		close(g->fd);
		return -1;
	}
	fcntl(g->fd, F_SETFL, O_NONBLOCK);
	if (watchdog_start(&g->dog, g->fd, keep, g, true) == 0)
		return 0;
	msg_errno("fork");
	gdb_stop(g, NS_PER_S, NULL);
	return -1;
}

enum conn_end
gdb_next(
    struct gdb_proc *g, struct mi_record *r, uint64_t deadline, int max_signals)
{
	const char *line;
	size_t len;

	while ((line = lines_next(&g->lines, &len)) == NULL) {
		enum conn_end e = CONN_CLOSED;

		if (g->lines.b.len <= LINES_MAX)
			e = conn_read(
			    g->fd, &g->lines.b, deadline, max_signals);
		if (e != CONN_OK)
			return e;
	}
	mi_parse(line, len, r);
	return CONN_OK;
}

enum conn_end
gdb_command(struct gdb_proc *g, const char *command, uint64_t limit,
    void (*each)(void *arg, const struct mi_record *r), void *arg)
{
	struct mi_record *r = &g->result;
	struct buf b = BUF_INIT;
	enum conn_end e;

	buf_printf(&b, "%lu%s\n", ++g->token, command);
	e = conn_write(g->fd, b.p, b.len, clock_now() + NS_PER_S, CONN_PATIENT);
	buf_done(&b);
	limit += clock_now();
	while (e == CONN_OK) {
		e = gdb_next(g, r, limit, 1);
		if (e == CONN_OK && r->kind == MI_RESULT && r->has_token &&
		    r->token == g->token)
			break;
		if (e == CONN_OK)
			each(arg, r);
	}
	if (e != CONN_OK || !mi_is(r, MI_RESULT, "error"))
		return e;
	g->error.len = 0;
	if (mi_value(r, "msg", &g->error) != 0)
		buf_adds(&g->error, "error without a message");
	return CONN_ERROR;
}

bool
gdb_stop(struct gdb_proc *g, uint64_t limit, struct buf *why)
{
	bool ended;
	int status = 0;

	if (g->pid == 0)
		return true;
	shutdown(g->fd, SHUT_WR);
	ended = drain(g->fd, clock_now() + limit);
	if (!ended)
		kill(g->pid, SIGKILL);
	while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(g->fd);
	g->pid = 0;
	if (why && WIFSIGNALED(status))
		buf_printf(why, "was killed by signal %d", WTERMSIG(status));
	else if (why)
		buf_printf(why, "ended with status %d", WEXITSTATUS(status));
	return ended && WIFEXITED(status);
}

void
gdb_done(struct gdb_proc *g)
{
	watchdog_off(&g->dog);
	buf_done(&g->lines.b);
	buf_done(&g->error);
}
