/* SPDX-License-Identifier: ISC */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"

/* What stands beside this command comes before others of its name. */
static void
exec_own(char *const *argv)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 64);

	if (n > 0) {
		path[n] = 0;
		snprintf(strrchr(path, '/') + 1, 64, "%s", argv[0]);
		execv(path, argv);
	}
	execvp(argv[0], argv);
}

/* In the child: signals as at a command's start. */
static void
reset_signals(void)
{
	sigset_t none;

	signal(SIGPIPE, SIG_DFL);
	signal(SIGTTOU, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void
exec_job(const struct job *j, pid_t parent)
{
	const int fd[3] = {j->in, j->out, j->err};

	setpgid(0, 0);
	if (j->terminal)
		tcsetpgrp(STDIN_FILENO, getpid());
	for (int i = 0; i < 3; i++)
		if (fd[i] > 0)
			dup2(fd[i], i);
	if (j->keep > 0)
		fcntl(j->keep, F_SETFD, 0);
	reset_signals();
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent && j->foreign)
		execvp(j->argv[0], j->argv);
	else if (getppid() == parent)
		exec_own(j->argv);
	msg_errno("%s", msg_str(j->argv[0]));
	_exit(!j->foreign ? EXIT_SYSTEM : errno == ENOENT ? 127 : 126);
}

pid_t
job_start(const struct job *j)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0)
		exec_job(j, parent);
	if (pid < 0)
		msg_errno("%s", msg_str(j->argv[0]));
	return pid;
}

bool
job_ended(pid_t pid, int *status)
{
	pid_t got = waitpid(pid, status, WNOHANG);

	return got == pid || (got < 0 && errno == ECHILD);
}

char *
job_read(char *const *argv)
{
	struct buf text = BUF_INIT;
	int pipe[2], status = -1;
	ssize_t n = 1;
	pid_t pid;

	if (pipe2(pipe, O_CLOEXEC) != 0) {
		msg_errno("pipe");
		return NULL;
	}
	pid = job_start(&(struct job){.argv = argv, .out = pipe[1]});
	close(pipe[1]);
	while (pid > 0 && n > 0) {
		buf_room(&text, 4096);
		n = read(pipe[0], text.p + text.len, 4096);
		text.len += n > 0 ? (size_t)n : 0;
	}
	close(pipe[0]);
	if (pid > 0 && waitpid(pid, &status, 0) == pid && status == 0)
		return buf_str(&text);
	buf_done(&text);
	return NULL;
}

void
job_show(const char *path)
{
	if (fork() != 0)
		return;
	reset_signals();
	setsid();
	execlp("xdg-open", "xdg-open", path, (char *)NULL);
	msg_errno("xdg-open");
	_exit(127);
}

void
job_said(int fd)
{
	char block[4096];
	ssize_t n;
	off_t at = 0;

	while ((n = pread(fd, block, sizeof block, at)) > 0 &&
	       write(STDERR_FILENO, block, (size_t)n) == n)
		at += n;
}
