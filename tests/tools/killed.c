/* SPDX-License-Identifier: ISC */
/*
 * Kills a command when it enters its N-th system call, from its first connect()
 * on, and waits for what it has left behind: children of children, too.
 *
 *	killed N COMMAND [ARGUMENT...]
 *
 * Status 0: it was killed, by whomever, and all its children have ended. 1: it
 * ended by itself. 3: a child is there 60 s later.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"

enum { LIMIT_S = 60 };

static void
on_alarm(int sig)
{
	(void)sig;
	_exit(3);
}

/* The number of the system call that it is about to make, else -1. */
static long
call_of(pid_t pid)
{
	struct __ptrace_syscall_info info = {0};

	if (ptrace(PTRACE_GET_SYSCALL_INFO, pid, sizeof info, &info) <= 0 ||
	    info.op != PTRACE_SYSCALL_INFO_ENTRY)
		return -1;
	return (long)info.entry.nr;
}

/* Whether it was killed; it stands still at its exec. */
static int
kill_at(pid_t pid, unsigned long n)
{
	unsigned long made = 0, signal = 0;
	int status;

	ptrace(PTRACE_SETOPTIONS, pid, 0, PTRACE_O_TRACESYSGOOD);
	while (made < n) {
		long nr;

		if (ptrace(PTRACE_SYSCALL, pid, 0, signal) != 0 ||
		    waitpid(pid, &status, 0) != pid)
			return 0;
		if (!WIFSTOPPED(status))
			return WIFSIGNALED(status) &&
			       WTERMSIG(status) == SIGKILL;
		signal = (unsigned long)WSTOPSIG(status);
		if (signal != (SIGTRAP | 0x80))
			continue;
		signal = 0;
		nr = call_of(pid);
		made += nr == SYS_connect || (nr >= 0 && made > 0);
	}
	kill(pid, SIGKILL);
	return 1;
}

int
main(int argc, char **argv)
{
	unsigned long n = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	int was_killed, status;
	pid_t pid;

	msg_init(argv[0]);
	if (n == 0)
		msg_die(2, "usage: killed N COMMAND [ARGUMENT...]");
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = fork();
	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		msg_die(2, "%s cannot be traced", argv[2]);
	was_killed = kill_at(pid, n);
	signal(SIGALRM, on_alarm);
	alarm(LIMIT_S);
	while (wait(NULL) > 0 || errno == EINTR)
		;
	return !was_killed;
}
