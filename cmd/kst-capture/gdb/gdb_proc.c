/* SPDX-License-Identifier: ISC */
/* How gdb is announced, started, spoken to, ended, and outlived. */
#include "gdb/gdb.h"

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
#include "elf/elfsym.h"
#include "io/job.h"
#include "rsp/rsp_release.h"
#include "rsp/rsp_who.h"
#include "rsp/rsp_link.h"
#include "wire/clock.h"

enum { REPAIR_MS = 3600000, DETACH_MS = 10000, LINES_MAX = 64 << 20 };

int
gdb_look_first(struct gdb *g)
{
	const struct target *t = g->t;
	const char *text = msg_str(t->addr.text);
	const char *elf = t->n_image ? elfsym_path(t->image[0].sym) : "";
	struct rsp_link l;
	int status;

	if (t->addr.path && strpbrk(t->addr.path, "\n\r:")) {
		msg("%s: gdb cannot use a socket whose path has a colon or "
		    "a line end",
		    msg_str(t->addr.path));
		return -1;
	}
	if (strpbrk(elf, "\n\r")) {
		msg("%s: gdb cannot use a file whose name has a line end",
		    msg_str(elf));
		return -1;
	}
	if (link_open(&l, &t->addr, t->timeout, t->paused) != 0) {
		msg("cannot connect to %s: %s (was QEMU started with -s or "
		    "-gdb?)",
		    text, strerror(errno));
		return -1;
	}
	status = rsp_meet(&l);
	g->paused = t->paused;
	if (status == 0 && l.qemu && !t->paused)
		status = rsp_state(&l, &g->paused);
	if (status != 0 && l.w.end != WIRE_MUTE)
		msg("%s: %s", text, l.w.why);
	else if (status != 0)
		msg("the gdb stub at %s does not answer: is another debugger "
		    "connected to it?",
		    text);
	if (status == 0 && !l.qemu) {
		/* gdbserver would leave with the one that detaches. */
		msg("%s", l.kind);
		watchdog_off(&l.w.dog);
	} else if (!g->paused && wire_release(&l.w, l.answered, false) != 0 &&
		   status == 0) {
		msg("%s: the gdb stub did not resume the guest", text);
		status = -1;
	}
	link_close(&l);
	return status;
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
	const struct gdb *g = arg;

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
	return rsp_repair(&g->t->addr, REPAIR_MS * NS_PER_MS);
}

/* Returns 0 or an errno. */
static int
start(struct gdb *g, int fd)
{
	/*
	 * No init files, nothing loaded by itself, no terminal's habits. The
	 * ELF and the address follow as quoted strings of MI.
	 */
	const char *const argv[] = {g->t->gdb, "-nx", "-nh", "-q",
	    "--interpreter=mi2", "-iex", "set auto-load off", "-iex",
	    "set auto-load safe-path /nonexistent", "-iex", "set confirm off",
	    NULL};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), error = 0;

	/* no index cache, no history, no debuginfod server from outside */
	setenv("HOME", "/nonexistent", 1);
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("GDBHISTFILE");
	/* the watchdog ends it, when the guest runs */
	g->pid = job_start(&(struct job){.argv = (char *const *)argv,
	    .in = fd,
	    .out = fd,
	    .err = null,
	    .foreign = true,
	    .outlives = true,
	    .error = &error});
	if (null >= 0)
		close(null);
	return error;
}

int
gdb_start(struct gdb *g)
{
	int pair[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
		msg_errno("gdb cannot be started");
		return -1;
	}
	g->fd = pair[0];
	errno = start(g, pair[1]);
	close(pair[1]);
	if (errno != 0) {
		g->pid = 0;
		if (errno == ENOENT)
			msg("gdb not found: '%s' (install it, or give its "
			    "path with --gdb)",
			    msg_str(g->t->gdb));
		else
			msg_errno(
			    "gdb '%s' cannot be started", msg_str(g->t->gdb));
		close(g->fd);
		return -1;
	}
	fcntl(g->fd, F_SETFL, O_NONBLOCK);
	g->dog = (struct watchdog){
	    .conn = g->fd, .duty = keep, .arg = g, .armed = true};
	if (watchdog_start(&g->dog) == 0)
		return 0;
	msg_errno("fork");
	gdb_stop(g, NS_PER_S, NULL);
	return -1;
}

static bool
starts(const char *line, const char *with)
{
	return strncmp(line, with, strlen(with)) == 0;
}

/* What gdb tells besides results. */
static void
notice(struct gdb *g, const char *line)
{
	struct buf reason = BUF_INIT;

	if (*line == '~' && g->text != NULL)
		mi_unquote(line + 1, g->text);
	else if (starts(line, "*running"))
		g->stopped = false;
	else if (starts(line, "=thread-group-exited") ||
		 /* all that gdb 16 says of a stub that closed meanwhile */
		 starts(line, "&\"warning: Error detected on fd "))
		g->exited = true;
	else if (starts(line, "*stopped")) {
		g->stopped = true;
		mi_value(line, "reason", &reason);
		g->exited |= starts(buf_str(&reason), "exited");
	}
	buf_done(&reason);
}

enum conn_end
gdb_next(struct gdb *g, const char **line, uint64_t deadline, int max_signals)
{
	char *p;
	size_t len;

	while ((p = lines_next(&g->in, &len)) == NULL) {
		enum conn_end e = CONN_CLOSED;

		if (g->in.b.len <= LINES_MAX)
			e = conn_read(g->fd, &g->in.b, deadline, max_signals);
		if (e != CONN_OK)
			return e;
	}
	p[len - (len > 0 && p[len - 1] == '\r')] = 0;
	notice(g, p);
	*line = p;
	return CONN_OK;
}

enum conn_end
gdb_command(
    struct gdb *g, uint64_t limit, const char *command, const char **result)
{
	const char *line = NULL, *at = NULL;
	struct buf b = BUF_INIT;
	char token[24];
	enum conn_end e;

	snprintf(token, sizeof token, "%lu^", ++g->token);
	buf_printf(&b, "%lu%s\n", g->token, command);
	e = conn_write(g->fd, b.p, b.len, clock_now() + NS_PER_S, CONN_PATIENT);
	buf_done(&b);
	limit += clock_now();
	while (e == CONN_OK && at == NULL) {
		e = gdb_next(g, &line, limit, 1);
		if (e == CONN_OK && starts(line, token))
			at = line + strlen(token);
	}
	if (result != NULL)
		*result = at;
	if (e != CONN_OK || !starts(at, "error"))
		return e;
	g->error.len = 0;
	if (mi_value(at, "msg", &g->error) != 0)
		buf_adds(&g->error, "error without a message");
	return CONN_ERROR;
}

bool
gdb_stop(struct gdb *g, uint64_t limit, struct buf *why)
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
