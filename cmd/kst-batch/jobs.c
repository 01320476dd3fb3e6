/* SPDX-License-Identifier: ISC */
/*
 * Items put together to jobs, which GNU parallel runs. A job is a folder with a
 * link NUMBER.KIND for each; GNU parallel is given numbers of jobs and not a
 * single name of a file, so that no name can be harmed by a shell in between.
 * It needs some 0.15 s to begin and 5 ms a job.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/num.h"
#include "io/job.h"
#include "base/xalloc.h"
#include "batch.h"

/*
 * What an item costs beside its bytes, and a job at least, put as bytes that
 * are folded in that time. A job for a host costs a login, but a host that is
 * lost is lost with its jobs.
 */
static const uint64_t item_cost = 256 << 10, job_min = 8 << 20,
		      job_min_remote = 64 << 20, job_max_remote = 768 << 20;

/* How many items a job has: the short ones go through one process. */
enum { JOB_ITEMS = 200, JOB_ITEMS_REMOTE = 2000 };

volatile int batch_signal;

/*
 * How large the next job is: a part of what is left, so that jobs become
 * smaller and all workers end at the same time.
 */
static uint64_t
job_target(const struct batch *b, uint64_t all, uint64_t left, uint64_t workers)
{
	uint64_t target = left / (2 * workers);

	if (b->remote) {
		uint64_t least = all / (4 * b->n_hosts); /* all have some */

		least = least < job_min_remote ? least : job_min_remote;
		target = all / (2 * b->n_slots);
		target = target > least ? target : least;
		return target < job_max_remote ? target : job_max_remote;
	}
	if (workers == 1)
		return UINT64_MAX;
	return target < job_min ? job_min : target;
}

/* Makes the link, or the list of inputs, that the worker reads. */
static int
link_item(struct batch *b, size_t n)
{
	struct item *i = b->pass[n];
	const char *path =
	    text_of("%s/%" PRIu64 "/%zu.%s", b->dir, b->jobs, n, i->kind);

	i->job = b->jobs;
	if (make_parents(path) != 0)
		return -1;
	if (i->is_sum)
		return file_write(path, i->inputs.p, i->inputs.len);
	return symlink(
	    i->draw_only ? item_output(b, i, ".folded") : i->path, path);
}

static int
by_work(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a,
			  *y = *(struct item *const *)b;

	if (x->work == y->work)
		return strcmp(x->rel, y->rel);
	return x->work < y->work ? 1 : -1;
}

static int
make_jobs(struct batch *b, uint64_t workers)
{
	const size_t most = b->remote ? JOB_ITEMS_REMOTE : JOB_ITEMS;
	uint64_t left = b->n_pass * item_cost, cost = 0, all;
	size_t in_job = 0;

	qsort(b->pass, b->n_pass, sizeof *b->pass, by_work);
	for (size_t n = 0; n < b->n_pass; n++)
		left += b->pass[n]->work;
	all = left;
	for (size_t n = 0; n < b->n_pass; n++) {
		if (link_item(b, n) != 0)
			return -1;
		cost += b->pass[n]->work + item_cost;
		if (++in_job < most && cost < job_target(b, all, left, workers))
			continue;
		b->jobs++;
		left -= cost;
		cost = in_job = 0;
	}
	b->jobs++;
	return 0;
}

/*
 * Starts GNU parallel, in a process group of its own, which a terminal's ^C
 * does not reach. When this process is killed it gets SIGTERM, and a worker
 * whose lines nobody reads ends.
 */
static pid_t
start(const struct batch *b, const char *what, int *from)
{
	char *argv[] = {(char *)"sh",
	    (char *)(uintptr_t)text_of("%s/run", b->dir),
	    (char *)(uintptr_t)what, NULL};
	int out[2];
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) != 0)
		return -1;
	pid = job_start(
	    &(struct job){.argv = argv, .out = out[1], .foreign = true});
	close(out[1]);
	*from = out[0];
	if (pid < 0)
		close(out[0]);
	return pid;
}

void
jobs_read(struct batch *b, char *line)
{
	char *number = strsep(&line, " "), *tag = strsep(&line, "\n");
	char *base;
	uint64_t n;

	if (tag == NULL || *tag == '.' || strchr(tag, '/') ||
	    num_u64(number, strlen(number), &n) != 0 || n >= b->n_pass ||
	    b->pass[n]->done)
		return;
	base = xstrdup(text_of(
	    "%s/%" PRIu64 "/%s/%" PRIu64, b->dir, b->pass[n]->job, tag, n));
	/* what a host has not sent to its last file is done again */
	if (!b->remote ||
	    access(text_of("%s%s", base, b->svg_key ? ".svg" : ".sum"), F_OK) ==
		0) {
		judge(b, b->pass[n], base);
		report_result(b, b->pass[n], base);
	}
	free(base);
}

/*
 * As it begins, GNU parallel starts processes that only sleep, for hours. If it
 * is killed then, they keep its output open: they are in its group, and end
 * with it. Workers have groups of their own.
 */
static void
end_with(pid_t pid)
{
	siginfo_t ended = {.si_pid = 0};

	if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) ==
		0 &&
	    ended.si_pid == pid)
		kill(-pid, SIGKILL);
}

int
jobs_parallel(struct batch *b, const char *what)
{
	int fd, status;
	pid_t pid = start(b, what, &fd);
	FILE *f = pid < 0 ? NULL : fdopen(fd, "r");
	char *line = NULL;
	size_t cap = 0;

	/*
	 * SIGTERM makes GNU parallel end its jobs, once it has begun them, and
	 * a second one kills them.
	 */
	while (f && (getline(&line, &cap, f) > 0 || errno == EINTR)) {
		if (ferror(f))
			clearerr(f);
		else
			jobs_read(b, line);
		if (batch_signal)
			kill(pid, SIGTERM);
		end_with(pid);
		errno = 0;
	}
	free(line);
	if (f)
		fclose(f);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return f ? 0 : -1;
}

/* The jobs of which something is not done, one a line. */
static int
list_undone(const struct batch *b)
{
	struct buf list = BUF_INIT;
	uint64_t last = UINT64_MAX;
	int status = 0;

	for (size_t n = 0; n < b->n_pass; n++) {
		const struct item *i = b->pass[n];

		if (!i->done && i->job != last)
			buf_printf(&list, "%" PRIu64 "\n", last = i->job);
	}
	if (list.len)
		status =
		    file_write(text_of("%s/list", b->dir), list.p, list.len)
			? -1
			: 1;
	buf_done(&list);
	return status;
}

int
jobs_run(struct batch *b, struct item **v, size_t n, uint64_t workers)
{
	int status, tries = b->remote ? 3 : 1;

	b->pass = v;
	b->n_pass = n;
	status = script_write(b, workers) ? -1 : make_jobs(b, workers);
	/* what did not come back from a host is done by those that answer */
	while (status == 0 && tries-- > 0 && !batch_signal &&
	       (status = list_undone(b)) == 1)
		status = jobs_parallel(b, "start");
	for (size_t k = 0; k < n && status == 0 && !batch_signal; k++)
		if (!v[k]->done)
			report_failed(
			    b, v[k], "its worker ended without a result");
	return status;
}
