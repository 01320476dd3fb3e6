/* SPDX-License-Identifier: ISC */
/* Programs that are started, awaited, and ended with all that they leave. */
#include "io/job.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "unit.h"

static int started[2]; /* a pipe: what work() has started */

static pid_t
start(const char *text)
{
	char *argv[] = {
	    (char *)"sh", (char *)"-c", (char *)(uintptr_t)text, NULL};

	return job_start(&(struct job){.argv = argv, .foreign = true});
}

static void
test_status(void)
{
	char *none[] = {(char *)"/none/at/all", NULL};
	int status = 0;
	pid_t pid;

	CHECK(WEXITSTATUS(job_wait(start("exit 7"))) == 7);
	CHECK(WTERMSIG(job_wait(start("kill -9 $$"))) == SIGKILL);
	CHECK(job_wait(-1) == EXIT_SYSTEM << 8);
	CHECK(job_wait(0) == EXIT_SYSTEM << 8);
	CHECK(WEXITSTATUS(job_wait(job_start(
		  &(struct job){.argv = none, .foreign = true}))) == 127);
	*none = (char *)"/";
	CHECK(WEXITSTATUS(job_wait(job_start(
		  &(struct job){.argv = none, .foreign = true}))) == 126);
	pid = start("kill -STOP $$; exit 5");
	CHECK(!job_ended(pid, &status));
	while (kill(pid, SIGCONT) == 0 && !job_ended(pid, &status))
		usleep(1000);
	CHECK(WEXITSTATUS(status) == 5);
	/* what is not our child has ended, for us */
	CHECK(job_ended(pid, &status));
	CHECK(job_ended(getppid(), &status));
	CHECK(job_asked() == 0);
	CHECK(job_status("a", 0) == 0 && job_status("a", 3 << 8) == 3);
	CHECK(job_status("a", SIGKILL) == 128 + SIGKILL);
}

/* A program in our group, with another standard output. */
static void
test_place(void)
{
	char *argv[] = {(char *)"sh", (char *)"-c",
	    (char *)"ps -o pgid= -p $$ | tr -d ' '", NULL};
	char text[16] = "";
	int end[2];
	pid_t pid;

	CHECK(pipe(end) == 0);
	job_wait(job_start(&(struct job){
	    .argv = argv, .foreign = true, .stays = true, .out = end[1]}));
	CHECK(read(end[0], text, sizeof text - 1) > 0);
	CHECK(atoi(text) == getpgrp());
	pid = job_start(
	    &(struct job){.argv = argv, .foreign = true, .out = end[1]});
	job_wait(pid);
	memset(text, 0, sizeof text);
	CHECK(read(end[0], text, sizeof text - 1) > 0);
	CHECK(atoi(text) == pid);
	close(end[0]);
	close(end[1]);
}

/* What it leaves: a child, and one that has left its parent and its session. */
static int
work(void *arg)
{
	const pid_t pid = start("exec sleep 60");

	job_wait(start("setsid sleep 60 & echo $! >&9"));
	dprintf(started[1], "%d\n", (int)pid);
	return job_left() ? *(int *)arg : 1;
}

static void
test_own(void)
{
	char text[64] = "", *end = text;
	int seven = 7, status;

	CHECK(pipe(started) == 0 && dup2(started[1], 9) == 9);
	status = job_own(work, &seven);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 7);
	CHECK(read(started[0], text, sizeof text - 1) > 0);
	for (int i = 0; i < 2; i++) {
		const pid_t pid = (pid_t)strtol(end, &end, 10);

		CHECK(pid > 1 && kill(pid, 0) != 0 && errno == ESRCH);
	}
	CHECK(!job_left());
}

int
main(void)
{
	if (freopen("/dev/null", "w", stderr) == NULL)
		return 1;
	test_status();
	test_place();
	test_own();
	return unit_end();
}
