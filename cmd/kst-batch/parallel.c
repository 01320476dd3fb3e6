/* SPDX-License-Identifier: ISC */
/*
 * The only file that starts GNU parallel. It is given numbers of jobs and no
 * name of a file, so that no name can be harmed by a shell in between. It needs
 * a tenth of a second to begin, and then some milliseconds for each job, while
 * the workers of the early jobs are at work already.
 */
#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "batch.h"
#include "group.h"
#include "base/msg.h"
#include "processors.h"
#include "base/xalloc.h"

enum { TICK_MS = 500, STOP_TICKS = 20 };

volatile int batch_signal;

/* The processes that are at work: those of the early jobs, GNU parallel. */
struct running {
	pid_t *pids;
	size_t n;
};

/* The worker itself, for the job of that number. */
static void
worker_arguments(
    const struct batch *b, const char *number, uint64_t slot, struct words *w)
{
	struct buf arg = BUF_INIT;

	words_add(w, "kst-batch");
	words_add(w, "--job");
	text_encode(&arg, b->dir.p, b->dir.len, true);
	words_add(w, buf_str(&arg));
	words_add(w, number);
	arg.len = 0;
	buf_printf(&arg, "%" PRIu64, slot);
	words_add(w, buf_str(&arg));
	buf_done(&arg);
}

static void
arguments(const struct batch *b, struct words *w)
{
	struct buf arg = BUF_INIT;
	bool sent = b->remote && b->o->send;

	words_add(w, "parallel");
	words_add(w, "--plain");
	words_add(w, "--will-cite");
	words_add(w, "--no-run-if-empty");
	if (b->remote)
		hosts_arguments(b, w);
	else
		words_add(w, "--ungroup");
	if (b->remote && b->o->jobs == 0)
		buf_adds(&arg, "-j100%");
	else
		buf_printf(&arg, "-j%" PRIu64, b->jobs_wide);
	words_add(w, buf_str(&arg));
	arg.len = 0;
	buf_adds(&arg, "exec kst-batch --job ");
	text_encode(&arg, b->dir.p, sent ? 0 : b->dir.len, true);
	buf_adds(&arg, sent ? ". {}" : " {}");
	if (!b->remote)
		buf_adds(&arg, " {%}"); /* its slot, and its processor */
	if (!b->remote && b->jobs_wide == processors() &&
	    b->jobs >= 2 * b->jobs_wide)
		buf_adds(&arg, " {%}");
	words_add(w, buf_str(&arg));
	buf_done(&arg);
}

/* Runs the command in a process that dies with this one. */
static void
start(const struct batch *b, struct running *g, const struct words *w, int in,
    int out)
{
	pid_t pid = group_fork();

	if (pid == 0) {
		hosts_environment(b);
		if (b->remote && b->o->send && chdir(b->dir.p) != 0)
			_exit(1);
		dup2(in, 0);
		dup2(out, 1);
		execvp(w->v[0], w->v);
		msg_errno("%s cannot be run", w->v[0]);
		_exit(127);
	}
	if (pid < 0)
		msg_errno("%s cannot be started", w->v[0]);
	else
		g->pids[g->n++] = pid;
}

static void
start_early(struct batch *b, struct running *g, int in, int out)
{
	const char *p = buf_str(&b->job_list);

	for (uint64_t i = 0; i < b->early; i++) {
		struct words w = {0};
		char number[24];
		size_t len = strcspn(p, "\n");

		snprintf(number, sizeof number, "%.*s", (int)len, p);
		p += len + 1;
		worker_arguments(b, number, i + 1, &w);
		start(b, g, &w, in, out);
		words_done(&w);
	}
	/* GNU parallel reads the list from there */
	(void)lseek(in, p - b->job_list.p, SEEK_SET);
}

/* Returns the end to read results from, or -1 with errno. */
static int
start_all(struct batch *b, const char *list, struct running *g)
{
	int out[2], in = open(list, O_RDONLY | O_CLOEXEC);

	if (in < 0 || pipe2(out, O_CLOEXEC) != 0)
		return -1;
	start_early(b, g, in, out[1]);
	if (b->early < b->jobs) {
		struct words w = {0};

		arguments(b, &w);
		start(b, g, &w, in, out[1]);
		words_done(&w);
	}
	close(in);
	close(out[1]);
	return out[0];
}

/* Takes the whole lines of results out of the buffer. */
static void
take_lines(struct batch *b, struct buf *in)
{
	char *p = in->p, *end = p + in->len, *nl;
	struct result r;

	while (p < end && (nl = memchr(p, '\n', (size_t)(end - p)))) {
		*nl = 0;
		if (result_read(&r, p) == 0 && r.id < b->n_units &&
		    !b->units[r.id].done)
			report_result(b, &r);
		p = nl + 1;
	}
	in->len = (size_t)(end - p);
	memmove(in->p, p, in->len);
}

/*
 * The first signal lets GNU parallel's jobs end, the second ends them; one that
 * hangs in a login is killed, and its jobs with it.
 */
static void
stop(const struct running *g, int told)
{
	for (size_t i = 0; i < g->n; i++) {
		if (told < 2)
			kill(g->pids[i], SIGTERM);
		else if (told == STOP_TICKS)
			kill(-g->pids[i], SIGKILL);
	}
}

static void
read_results(struct batch *b, int fd, const struct running *g)
{
	struct buf in = BUF_INIT;
	int told = 0;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (batch_signal)
			stop(g, told++);
		report_progress(b, false);
		if (poll(&p, 1, TICK_MS) <= 0)
			continue;
		buf_room(&in, 1 << 16);
		n = read(fd, in.p + in.len, in.cap - in.len);
		if (n == 0 || (n < 0 && errno != EINTR))
			break;
		if (n > 0) {
			in.len += (size_t)n;
			take_lines(b, &in);
		}
	}
	report_progress(b, true);
	buf_done(&in);
}

int
parallel_run(struct batch *b, const char *list)
{
	struct running g = {.pids = xcalloc(b->early + 1, sizeof *g.pids)};
	int fd = start_all(b, list, &g);

	if (fd >= 0) {
		read_results(b, fd, &g);
		close(fd);
	}
	for (size_t i = 0; i < g.n; i++)
		while (waitpid(g.pids[i], NULL, 0) < 0 && errno == EINTR)
			;
	free(g.pids);
	return fd < 0 ? -1 : 0;
}
