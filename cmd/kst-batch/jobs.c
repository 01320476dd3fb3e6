/* SPDX-License-Identifier: ISC */
/*
 * Units of work put together to jobs, which GNU parallel runs. It is given
 * numbers of jobs and not a single name of a file, so that no name can be
 * harmed by a shell in between. It needs some 0.15 s to begin and 5 ms a job.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "batch.h"

/*
 * What a unit costs beside its bytes, and a job at least, put as bytes that are
 * folded in that time. A login costs more, but a host that is lost is lost with
 * its jobs.
 */
static const uint64_t unit_cost = 256 << 10, job_min = 8 << 20,
		      job_min_remote = 64 << 10, job_max_remote = 512 << 20;

enum { TICK_MS = 500, STOP_TICKS = 20 };

/*
 * How large the next job is: a part of what is left, so that jobs become
 * smaller and all workers end at the same time; one worker has one job.
 */
static uint64_t
job_target(const struct batch *b)
{
	uint64_t workers = b->workers * (b->remote ? b->n_hosts : 1),
		 target = b->cost_left / (workers * (b->remote ? 4 : 2));

	if (workers == 1)
		return UINT64_MAX;
	if (b->remote && target > job_max_remote)
		return job_max_remote;
	if (target < (b->remote ? job_min_remote : job_min))
		return b->remote ? job_min_remote : job_min;
	return target;
}

void
jobs_begin(struct batch *b, uint64_t bytes, uint64_t units)
{
	b->n_todo = 0;
	b->jobs = 0;
	b->job.len = b->job_list.len = 0;
	b->job_cost = 0;
	b->cost_left = bytes + units * unit_cost;
}

static int
write_job(struct batch *b)
{
	struct buf path = BUF_INIT;
	int status;

	if (b->job.len == 0)
		return 0;
	b->jobs_all++;
	b->jobs++;
	buf_printf(&path, "%s/jobs/%" PRIu64 "%s", b->dir.p, b->jobs_all,
	    b->remote && b->o->send ? "/job" : "");
	status = file_write(buf_str(&path), b->job.p, b->job.len);
	buf_printf(&b->job_list, "%" PRIu64 "\n", b->jobs_all);
	b->job.len = 0;
	b->cost_left -= b->job_cost < b->cost_left ? b->job_cost : b->cost_left;
	b->job_cost = 0;
	buf_done(&path);
	return status;
}

int
jobs_add(
    struct batch *b, struct unit *u, uint64_t bytes, const struct todo *todo)
{
	b->todo = xgrow(b->todo, b->n_todo + 1, &b->todo_cap, sizeof *b->todo);
	u->id = b->n_todo;
	b->todo[b->n_todo] = *todo;
	b->todo[b->n_todo++].job = b->jobs_all + 1;
	unit_write(&b->job, u);
	b->job_cost += bytes + unit_cost;
	return b->job_cost < job_target(b) ? 0 : write_job(b);
}

static void
arguments(const struct batch *b, const char *list, struct words *w)
{
	static const char *const always[] = {"parallel", "--plain",
	    "--will-cite", "--no-run-if-empty", "--termseq",
	    "TERM,1000,KILL,25", "-a"};
	bool sent = b->remote && b->o->send;
	struct buf command = BUF_INIT;

	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		words_add(w, always[i]);
	words_add(w, list);
	if (b->remote)
		hosts_arguments(b, w);
	else
		words_add(w, "--ungroup");
	if (b->remote && b->o->jobs == 0)
		buf_adds(&command, "-j100%");
	else
		buf_printf(&command, "-j%" PRIu64, b->workers);
	words_add(w, buf_str(&command));
	command.len = 0;
	buf_adds(&command, "exec kst-batch --job ");
	text_encode(&command, b->dir.p, sent ? 0 : b->dir.len, true);
	buf_adds(&command, sent ? ". {}" : " {}");
	words_add(w, buf_str(&command));
	buf_done(&command);
}

/* Starts GNU parallel; its output is that of the workers. */
static pid_t
start(const struct batch *b, const char *list, int *from)
{
	struct words w = {0};
	int out[2];
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) != 0)
		return -1;
	arguments(b, list, &w);
	pid = group_fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDONLY);

		hosts_environment(b);
		if (b->remote && b->o->send && chdir(b->dir.p) != 0)
			_exit(EXIT_SYSTEM);
		dup2(null, 0);
		dup2(out[1], 1);
		execvp(w.v[0], w.v);
		msg_errno("%s cannot be run", w.v[0]);
		_exit(127);
	}
	words_done(&w);
	close(out[1]);
	*from = out[0];
	if (pid < 0)
		close(out[0]);
	return pid;
}

/* Takes the whole lines of results out of the buffer. */
static void
take_lines(struct batch *b, struct buf *in)
{
	char *p = in->p, *end = p + in->len, *nl, *host;
	struct record r;
	uint64_t id;

	while (p < end && (nl = memchr(p, '\n', (size_t)(end - p)))) {
		*nl = 0;
		if (result_read(&id, &host, &r, p) == 0 && id < b->n_todo &&
		    !b->todo[id].done)
			report_result(b, id, host, &r);
		p = nl + 1;
	}
	in->len = (size_t)(end - p);
	memmove(in->p, p, in->len);
}

/*
 * The first SIGTERM lets GNU parallel start no more jobs, the second ends them
 * as --termseq says; if it hangs in a login, all of its group is killed.
 */
static void
stop(pid_t pid, int ticks)
{
	if (ticks < 2)
		kill(pid, SIGTERM);
	else if (ticks == STOP_TICKS)
		kill(-pid, SIGKILL);
}

static void
read_results(struct batch *b, int fd, pid_t pid)
{
	struct buf in = BUF_INIT;
	int stopping = 0;

	for (;;) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		ssize_t n;

		if (batch_signal)
			stop(pid, stopping++);
		report_progress(b);
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
	report_clear(b);
	buf_done(&in);
}

static int
run_list(struct batch *b, const char *list)
{
	int fd;
	pid_t pid = start(b, list, &fd);

	if (pid < 0)
		return -1;
	read_results(b, fd, pid);
	close(fd);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

/* Units whose worker died. */
static void
report_lost(struct batch *b)
{
	char what[] = "its worker ended without a result";

	for (size_t i = 0; i < b->n_todo; i++)
		if (!b->todo[i].done)
			report_result(b, i, "",
			    &(struct record){
				.status = STATUS_FAILED, .what = what});
}

/* The jobs of which something is not done, instead of all. */
static void
list_undone(struct batch *b)
{
	uint64_t last = 0;

	b->job_list.len = 0;
	b->jobs = 0;
	for (size_t i = 0; i < b->n_todo; i++) {
		if (b->todo[i].done || b->todo[i].job == last)
			continue;
		last = b->todo[i].job;
		buf_printf(&b->job_list, "%" PRIu64 "\n", last);
		b->jobs++;
	}
}

int
jobs_run(struct batch *b)
{
	struct buf list = BUF_INIT;
	int status = write_job(b);

	buf_printf(&list, "%s/list", b->dir.p);
	/* what other machines have lost is given to those that answer still */
	for (b->tries = b->remote ? 3 : 1; status == 0 && b->tries > 0;) {
		b->tries--;
		if (b->jobs == 0 || (b->remote && b->n_hosts == 0))
			break;
		status =
		    file_write(buf_str(&list), b->job_list.p, b->job_list.len);
		if (status == 0)
			status = run_list(b, list.p);
		list_undone(b);
		if (status == 0 && b->jobs > 0 && b->tries > 0 && !batch_signal)
			status = hosts_check(b);
	}
	if (status == 0 && !batch_signal)
		report_lost(b);
	buf_done(&list);
	return status;
}
