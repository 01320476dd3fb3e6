/* SPDX-License-Identifier: ISC */
#include "io/job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"

void
job_signals(void)
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

	if (!j->stays)
		setpgid(0, 0);
	if (j->terminal)
		tcsetpgrp(STDIN_FILENO, getpid());
	for (int i = 0; i < 3; i++)
		if (fd[i] > 0)
			dup2(fd[i], i);
	if (j->keep > 0)
		fcntl(j->keep, F_SETFD, 0);
	job_signals();
	port_end_with_parent(SIGTERM);
	if (getppid() == parent && j->foreign)
		execvp(j->argv[0], j->argv);
	else if (getppid() == parent)
		port_exec(j->argv);
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
