/* SPDX-License-Identifier: ISC */
/*
 * The worker: takes the units of a job through the steps, each to outputs that
 * appear whole or not at all, and prints a line of result for each.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "worker.h"

static uint64_t
now_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static int
do_unit(struct worker *w, const struct unit *u)
{
	uint64_t begin = now_usec();
	struct buf line = BUF_INIT;
	bool good;

	memset(&w->r, 0, sizeof w->r);
	w->what.len = 0;
	w->u = u;
	if (u->kind == UNIT_SUM)
		make_sum(w);
	else if (u->kind == UNIT_DRAWING)
		make_drawing(w);
	else
		make_capture(w);
	w->r.usec = now_usec() - begin;
	w->r.what = buf_str(&w->what);
	result_write(&line, u->id, w->host, &w->r);
	good = write(STDOUT_FILENO, line.p, line.len) == (ssize_t)line.len;
	buf_done(&line);
	return good ? 0 : -1;
}

/*
 * On a machine that has been sent the files, a job has a folder of its own,
 * in which all is done; what has been read is removed.
 */
static void
enter_job(struct worker *w, const char *number)
{
	struct buf path = BUF_INIT;
	struct stat st;

	buf_printf(&path, "%s/jobs/%s", w->dir, number);
	w->sent = stat(buf_str(&path), &st) == 0 && S_ISDIR(st.st_mode);
	if (w->sent) {
		if (chdir(path.p) != 0 ||
		    (mkdir("tmp", 0777) && errno != EEXIST) ||
		    (mkdir("out", 0777) && errno != EEXIST))
			msg_die(EXIT_SYSTEM, "%s: %s", path.p, strerror(errno));
		w->dir = ".";
	} else if (chdir(w->run.cwd) != 0) {
		msg_die(EXIT_SYSTEM, "%s: %s", w->run.cwd, strerror(errno));
	}
	buf_done(&path);
}

static void
read_or_die(const char *path, struct buf *text)
{
	if (file_read(path, text) != 0)
		msg_die(EXIT_SYSTEM, "%s: %s", path, strerror(errno));
}

int
work(const char *dir, const char *number)
{
	struct worker w = {.dir = dir};
	struct buf run = BUF_INIT, job = BUF_INIT, path = BUF_INIT;
	struct stat st;
	struct unit u;
	char *p;
	int status = 0;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	gethostname(w.host, sizeof w.host - 1);
	buf_printf(&path, "%s/run", dir);
	read_or_die(buf_str(&path), &run);
	if (run_read(&w.run, run.p, run.p + run.len) != 0)
		msg_die(EXIT_SYSTEM, "%s: of another version", path.p);
	path.len = 0;
	buf_printf(&path, "%s/jobs/%s", dir, number);
	if (stat(buf_str(&path), &st) == 0 && S_ISDIR(st.st_mode))
		buf_adds(&path, "/job");
	read_or_die(buf_str(&path), &job);
	enter_job(&w, number);
	/* without its folder the run is over */
	for (p = job.p;
	     status == 0 && p < job.p + job.len && access(w.dir, F_OK) == 0;) {
		if (unit_read(&u, &p, job.p + job.len) != 0)
			msg_die(EXIT_SYSTEM, "a damaged job file");
		status = do_unit(&w, &u);
		if (w.sent)
			(void)unlink(u.path);
	}
	steps_done(&w.run.steps);
	buf_done(&w.what);
	buf_done(&run);
	buf_done(&job);
	buf_done(&path);
	return status == 0 ? EXIT_OK : EXIT_SYSTEM;
}
