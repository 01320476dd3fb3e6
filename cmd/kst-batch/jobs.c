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
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "batch.h"

/*
 * What a unit costs beside its bytes, and a job at least, put as bytes that are
 * folded in that time. A login costs more, but a host that is lost is lost with
 * its jobs.
 */
static const uint64_t unit_cost = 256 << 10, job_min = 8 << 20,
		      job_min_remote = 64 << 10, job_max_remote = 512 << 20;

/* How many short captures go through one process. */
enum { SMALL_MAX = 200, SMALL_BYTES = 16 << 20 };

enum { TICK_MS = 500, STOP_TICKS = 20 };

/*
 * How large the next job is: a part of what is left, so that jobs become
 * smaller and all workers end at the same time; one worker has one job.
 */
static uint64_t
job_target(const struct batch *b)
{
	uint64_t workers = b->workers * (b->remote ? b->n_hosts : 1),
		 target = b->job.left / (workers * (b->remote ? 4 : 2));

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
	b->n_units = 0;
	b->job.text.len = 0;
	b->job.n_small = 0;
	b->job.cost = 0;
	b->job.left = bytes + units * unit_cost;
}

void
jobs_path(const struct batch *b, size_t unit, struct buf *path)
{
	path->len = 0;
	buf_printf(
	    path, "%s/%" PRIu64 "/%zu", b->dir.p, b->units[unit].job, unit);
	buf_str(path);
}

/* The short captures at the job's end become a line of it. */
static void
end_small(struct job *j)
{
	if (j->n_small)
		buf_printf(&j->text, "small %zu %zu\n", j->small,
		    j->small + j->n_small - 1);
	j->n_small = 0;
	j->small_bytes = 0;
}

static int
write_job(struct batch *b)
{
	struct buf path = BUF_INIT;
	int status;

	end_small(&b->job);
	if (b->job.text.len == 0)
		return 0;
	buf_printf(&path, "%s/%" PRIu64 "/job", b->dir.p, b->jobs++);
	status = file_write(buf_str(&path), b->job.text.p, b->job.text.len);
	b->job.text.len = 0;
	b->job.left -= b->job.cost < b->job.left ? b->job.cost : b->job.left;
	b->job.cost = 0;
	buf_done(&path);
	return status;
}

/* The unit's place in its job's folder, and the link to what it reads. */
static int
link_unit(struct batch *b, const struct unit *u, const char *path)
{
	struct buf name = BUF_INIT;
	int status;

	b->units =
	    xgrow(b->units, b->n_units + 1, &b->cap_units, sizeof *b->units);
	b->units[b->n_units] = *u;
	b->units[b->n_units].job = b->jobs;
	jobs_path(b, b->n_units, &name);
	buf_adds(&name, ".in");
	status = symlink(path, buf_str(&name));
	if (status != 0 && errno == ENOENT && make_parents(name.p) == 0)
		status = symlink(path, name.p);
	buf_done(&name);
	return status;
}

int
jobs_add(
    struct batch *b, const struct unit *u, const char *path, uint64_t bytes)
{
	struct job *j = &b->job;
	size_t n = b->n_units;

	if (link_unit(b, u, path) != 0)
		return -1;
	b->n_units++;
	if (strcmp(u->kind, "small") != 0) {
		end_small(j);
		buf_printf(&j->text, "%s %zu\n", u->kind, n);
	} else {
		if (j->n_small == 0)
			j->small = n;
		j->small_bytes += bytes;
		if (++j->n_small == SMALL_MAX || j->small_bytes > SMALL_BYTES)
			end_small(j);
	}
	j->cost += bytes + unit_cost;
	return j->cost < job_target(b) ? 0 : write_job(b);
}

/* GNU parallel's command line, but for what follows `kind` of it and `args`. */
static void
arguments(const struct batch *b, const char *const *more, const char *args,
    struct words *w)
{
	static const char *const always[] = {"parallel", "--plain",
	    "--will-cite", "--termseq", "TERM,1000,KILL,25"};
	struct buf word = BUF_INIT;

	for (size_t i = 0; i < sizeof always / sizeof *always; i++)
		words_add(w, always[i]);
	if (b->remote)
		hosts_arguments(b, w);
	else
		words_add(w, "--ungroup");
	if (b->o->joblog) {
		words_add(w, "--joblog");
		buf_printf(&word, "+%s%s%s", *b->o->joblog == '/' ? "" : b->cwd,
		    *b->o->joblog == '/' ? "" : "/", b->o->joblog);
		words_add(w, buf_str(&word));
		word.len = 0;
	}
	if (b->remote && b->o->jobs == 0)
		buf_adds(&word, "-j100%");
	else
		buf_printf(&word, "-j%" PRIu64, b->workers);
	words_add(w, buf_str(&word));
	word.len = 0;
	for (; *more; more++)
		words_add(w, *more);
	if (!b->remote || !b->o->send) {
		/* no byte of the name may be one that GNU parallel replaces */
		buf_adds(&word, "cd \"$(printf '");
		for (const char *s = b->dir.p; *s; s++)
			if (strchr("/._-", *s) || (*s >= '0' && *s <= '9') ||
			    (*s >= 'a' && *s <= 'z') ||
			    (*s >= 'A' && *s <= 'Z'))
				buf_addc(&word, *s);
			else
				buf_printf(&word, "\\%03o", (unsigned char)*s);
		buf_adds(&word, "')\" && ");
	}
	buf_printf(&word, "exec sh ./work %s", args);
	words_add(w, buf_str(&word));
	buf_done(&word);
}

/*
 * Starts GNU parallel, in a process group of its own, which a terminal's ^C
 * does not reach. When this process is killed it gets SIGTERM, and a worker
 * whose lines nobody reads ends.
 */
static pid_t
start(const struct batch *b, const struct words *w, int *from)
{
	pid_t parent = getpid(), pid;
	int out[2];

	if (pipe2(out, O_CLOEXEC) != 0)
		return -1;
	pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDONLY);

		setpgid(0, 0);
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		/* messages of a group in the background must not stop it */
		signal(SIGTTOU, SIG_IGN);
		if (getppid() != parent || chdir(b->dir.p) != 0)
			_exit(EXIT_SYSTEM);
		hosts_environment(b);
		dup2(null, 0);
		dup2(out[1], 1);
		execvp(w->v[0], w->v);
		msg_errno("%s cannot be run", w->v[0]);
		_exit(127);
	}
	close(out[1]);
	*from = out[0];
	if (pid < 0)
		close(out[0]);
	return pid;
}

/* A line, `UNIT .TAG` or `UNIT part`. */
static void
take_line(struct batch *b, char *line)
{
	char *number = text_field(&line, ' ');
	struct buf base = BUF_INIT;
	struct record r;
	uint64_t n;

	if (line == NULL || strchr(line, '/') ||
	    num_u64(number, strlen(number), &n) != 0 || n >= b->n_units ||
	    b->units[n].done)
		return;
	if (strcmp(line, "part") == 0) {
		b->bytes_made += b->part_bytes;
		return;
	}
	jobs_path(b, n, &base);
	buf_printf(&base, "%s.sum", line);
	if (b->remote && access(buf_str(&base), F_OK) != 0) {
		buf_done(&base);
		return;
	}
	base.len -= 4;
	judge(b, &b->units[n], buf_str(&base), &r);
	report_result(b, n, base.p, &r);
	free(r.what);
	buf_done(&base);
}

/* Takes the whole lines of results out of the buffer. */
static void
take_lines(struct batch *b, struct buf *in)
{
	char *p = in->p, *end = p + in->len, *nl;

	while (p < end && (nl = memchr(p, '\n', (size_t)(end - p)))) {
		*nl = 0;
		take_line(b, p);
		p = nl + 1;
	}
	in->len = (size_t)(end - p);
	memmove(in->p, p, in->len);
}

/*
 * SIGTERM makes GNU parallel end its jobs, once it has begun them; if it hangs
 * in a login, all of its group is killed.
 */
static void
stop(pid_t pid, int ticks)
{
	if (ticks < STOP_TICKS)
		kill(pid, SIGTERM);
	else
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

int
jobs_work(struct batch *b, const char *const *more, const char *args)
{
	struct words w = {0};
	int status;

	arguments(b, more, args, &w);
	status = jobs_parallel(b, &w);
	words_done(&w);
	return status;
}

int
jobs_parallel(struct batch *b, const struct words *args)
{
	int fd;
	pid_t pid = start(b, args, &fd);

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
	for (size_t i = 0; i < b->n_units; i++) {
		struct record r = {0};

		if (b->units[i].done)
			continue;
		record_say(
		    &r, STATUS_FAILED, "its worker ended without a result");
		report_result(b, i, NULL, &r);
		free(r.what);
	}
}

/* The jobs of which something is not done, one a line. */
static void
list_undone(const struct batch *b, struct buf *list)
{
	uint64_t last = UINT64_MAX;

	list->len = 0;
	for (size_t i = 0; i < b->n_units; i++) {
		if (b->units[i].done || b->units[i].job == last)
			continue;
		last = b->units[i].job;
		buf_printf(list, "%" PRIu64 "\n", last);
	}
}

int
jobs_run(struct batch *b)
{
	static const char *const from_list[] = {"-a", "list", NULL};
	struct buf list = BUF_INIT, path = BUF_INIT;
	int status = write_job(b), tries = b->remote ? 3 : 1;

	buf_printf(&path, "%s/list", b->dir.p);
	/* what did not come back from a host is done by those that answer */
	while (status == 0 && tries-- > 0 && !batch_signal) {
		list_undone(b, &list);
		if (list.len == 0)
			break;
		status = file_write(buf_str(&path), list.p, list.len);
		if (status == 0)
			status = jobs_work(b, from_list, "{}");
	}
	if (status == 0 && !batch_signal)
		report_lost(b);
	buf_done(&path);
	buf_done(&list);
	return status;
}
