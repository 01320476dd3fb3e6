/* SPDX-License-Identifier: ISC */
/*
 * GNU parallel begins by starting processes that only sleep, to see how many
 * it may have. Were it killed then, they would sleep on for hours.
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "batch.h"

/* Says that the parent has ended. */
enum { PARENT_ENDED = SIGUSR1 };

/* Waits for the child's end or the parent's, and ends the whole group. */
static _Noreturn void
watch(pid_t child, const sigset_t *set)
{
	for (;;) {
		int sig = 0;

		if (sigwait(set, &sig) != 0 || sig == PARENT_ENDED)
			break;
		if (sig == SIGTERM)
			kill(child, SIGTERM);
		else if (waitpid(child, NULL, WNOHANG) == child)
			break;
	}
	kill(0, SIGKILL);
	_exit(0);
}

pid_t
group_fork(void)
{
	pid_t parent = getpid(), watcher, child;
	sigset_t set, before;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, PARENT_ENDED);
	sigprocmask(SIG_BLOCK, &set, &before);
	watcher = fork();
	if (watcher != 0) {
		int e = errno;

		sigprocmask(SIG_SETMASK, &before, NULL);
		errno = e;
		return watcher;
	}
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, PARENT_ENDED);
	if (getppid() != parent)
		_exit(1);
	watcher = getpid();
	/* messages of a group in the background must not stop it */
	signal(SIGTTOU, SIG_IGN);
	child = fork();
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (getppid() != watcher)
			_exit(1);
		sigprocmask(SIG_SETMASK, &before, NULL);
		return 0;
	}
	/* pipes that it shares would not end, nor a lock */
	close_range(3, ~0U, 0);
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	if (child < 0)
		_exit(1);
	watch(child, &set);
}
