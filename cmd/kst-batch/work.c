/* SPDX-License-Identifier: ISC */
/*
 * The worker: takes units of a job through the steps, each to an output that
 * appears whole or not at all, and prints a line of result for each.
 */
#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

	memset(&w->result, 0, sizeof w->result);
	w->result.id = u->id;
	w->messages.len = 0;
	w->no_stack = false;
	if (u->kind == 's')
		make_sum(w, u);
	else if (u->kind == 'd')
		make_drawing(w, u);
	else
		make_capture(w, u);
	w->result.usec = now_usec() - begin;
	w->result.host = w->host;
	w->result.messages = buf_str(&w->messages);
	result_write(&line, &w->result);
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
			msg_die(EXIT_FAILED, "%s: %s", path.p, strerror(errno));
		w->dir = ".";
	} else if (chdir(w->run.cwd) != 0) {
		msg_die(EXIT_FAILED, "%s: %s", w->run.cwd, strerror(errno));
	}
	buf_done(&path);
}

/*
 * As many workers as were asked for have a slot each. When GNU parallel starts
 * one in a slot where an early job is still at work, it waits for its end.
 */
static void
take_slot(const char *dir, uint64_t slot)
{
	struct buf path = BUF_INIT;
	int fd;

	buf_printf(&path, "%s/slot.%" PRIu64, dir, slot);
	fd = open(buf_str(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR)
		;
	buf_done(&path); /* fd is kept until this process ends */
}

int
work(const char *dir, const char *number, uint64_t slot)
{
	struct worker w = {.dir = dir};
	struct buf run = BUF_INIT, job = BUF_INIT, path = BUF_INIT;
	struct unit u;
	char *p;
	int status = 0;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (slot)
		take_slot(dir, slot);
	path_beside();
	gethostname(w.host, sizeof w.host - 1);
	buf_printf(&path, "%s/run", dir);
	if (file_read(buf_str(&path), &run) != 0)
		msg_die(EXIT_FAILED, "%s: %s", path.p, strerror(errno));
	if (run_read(&w.run, run.p, run.p + run.len) != 0)
		msg_die(EXIT_FAILED, "%s: of another version", path.p);
	path.len = 0;
	buf_printf(&path, "%s/jobs/%s", dir, number);
	if (file_read(buf_str(&path), &job) != 0) {
		buf_adds(&path, "/job");
		if (file_read(buf_str(&path), &job) != 0)
			msg_die(EXIT_FAILED, "%s: %s", path.p, strerror(errno));
	}
	enter_job(&w, number);
	p = job.p;
	/* without its folder the run is over */
	while (status == 0 && p < job.p + job.len && access(w.dir, F_OK) == 0) {
		if (unit_read(&u, &p, job.p + job.len) != 0)
			msg_die(EXIT_FAILED, "a damaged job file");
		status = do_unit(&w, &u);
		if (w.sent)
			(void)unlink(u.path);
	}
	run_done(&w.run);
	buf_done(&w.messages);
	buf_done(&run);
	buf_done(&job);
	buf_done(&path);
	return status == 0 ? EXIT_OK : EXIT_FAILED;
}
