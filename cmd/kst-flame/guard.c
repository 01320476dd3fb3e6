/* SPDX-License-Identifier: ISC */
#include "guard.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"

/* Milliseconds: for an orderly end, and until it is given up. */
enum { TERM_MS = 3000, KILL_MS = 8000, LOOK_MS = 10 };

int
guard_work(int (*work)(void *arg), void *arg)
{
	pid_t self = getpid(), pid;
	int status, sig;
	sigset_t set;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid = fork();
	if (pid == 0) {
		/* What a terminal sends, it gets from its parent. */
		setpgid(0, 0);
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		prctl(PR_SET_PDEATHSIG, GUARD_GONE);
		if (getppid() != self)
			raise(GUARD_GONE);
		exit(work(arg));
	}
	if (pid < 0) {
		msg_errno("fork");
		return EXIT_SYSTEM << 8;
	}
	sigprocmask(SIG_BLOCK, NULL, &set);
	for (;;) {
		sig = sigwaitinfo(&set, NULL);
		if (sig > 0 && sig != SIGCHLD)
			kill(pid, sig);
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
	}
}

struct pids {
	pid_t *pid;
	size_t n, cap;
};

/* Appends the children of a process. */
static void
add_children(struct pids *l, pid_t parent)
{
	char path[64];
	FILE *f;
	int pid;

	snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", (long)parent,
	    (long)parent);
	f = fopen(path, "re");
	while (f != NULL && fscanf(f, "%d", &pid) == 1)
		*xadd(l->pid, l->n, l->cap) = pid;
	if (f != NULL)
		fclose(f);
}

/* Whether it is a new one in the list. */
static bool
ask(struct pids *l, pid_t pid)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->pid[i] == pid)
			return false;
	*xadd(l->pid, l->n, l->cap) = pid;
	return true;
}

/* Those that leave their parents while this goes on come to us. */
void
guard_end(void)
{
	struct pids now = {0}, asked = {0};
	int ms;

	for (ms = 0; ms < KILL_MS; ms += LOOK_MS) {
		int sig = ms < TERM_MS ? SIGTERM : SIGKILL;

		now.n = 0;
		add_children(&now, getpid());
		for (size_t i = 0; i < now.n; i++)
			add_children(&now, now.pid[i]);
		for (size_t i = 0; i < now.n; i++)
			if (sig == SIGKILL || ask(&asked, now.pid[i]))
				kill(now.pid[i], sig);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			break;
		poll(NULL, 0, LOOK_MS);
	}
	if (ms >= KILL_MS)
		msg("some of what was started could not be ended");
	free(now.pid);
	free(asked.pid);
}
