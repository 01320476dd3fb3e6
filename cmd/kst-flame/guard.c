/* SPDX-License-Identifier: ISC */
/*
 * Knows how to end what was started, and only that: the guard is the reaper of
 * its descendants, so that those which leave their parents, their groups or
 * their session still descend from it.
 */
#include "guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"

/* Milliseconds: for an orderly end, and until the guard gives up. */
enum { TERM_MS = 3000, KILL_MS = 8000, LOOK_MS = 10, AGAIN_MS = 200 };

static const int ignored[] = {
    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTTOU};

enum { N_IGNORED = sizeof ignored / sizeof *ignored };

/*
 * The processes that descend from this one. They are signalled by descriptors:
 * a number that another process has got meanwhile is not.
 */
struct process {
	pid_t pid, parent;
	bool ours;
};

/* `PID (NAME) STATE PARENT ...`; a name may have anything in it. */
static pid_t
parent_of(pid_t pid)
{
	char path[32], text[512], *p, state;
	ssize_t n;
	int fd, parent;

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = 0;
	p = strrchr(text, ')');
	if (p == NULL || sscanf(p + 1, " %c %d", &state, &parent) != 2 ||
	    state == 'Z')
		return -1;
	return parent;
}

static size_t
list(struct process **all)
{
	DIR *d = opendir("/proc");
	size_t n = 0, cap = 0;
	struct dirent *e;

	*all = NULL;
	while (d != NULL && (e = readdir(d)) != NULL) {
		struct process p = {.parent = -1};

		if (isdigit((unsigned char)e->d_name[0])) {
			p.pid = (pid_t)atol(e->d_name);
			p.parent = parent_of(p.pid);
		}
		if (p.parent < 0)
			continue;
		*xadd(*all, n, cap) = p;
	}
	if (d != NULL)
		closedir(d);
	return n;
}

static int
by_pid(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return (p->pid > q->pid) - (p->pid < q->pid);
}

/* Marks the children of marked ones until there are no more. */
static void
mark(struct process *all, size_t n)
{
	pid_t self = getpid();
	bool more = n > 0;

	if (n > 0)
		qsort(all, n, sizeof *all, by_pid);
	while (more) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			struct process key = {.pid = all[i].parent}, *p;

			p = bsearch(&key, all, n, sizeof *all, by_pid);
			if (all[i].ours || (key.pid != self && !(p && p->ours)))
				continue;
			more = all[i].ours = true;
		}
	}
}

static void
send(const struct process *p, int sig)
{
	int fd = (int)syscall(SYS_pidfd_open, p->pid, 0);

	if (fd < 0)
		return;
	if (parent_of(p->pid) == p->parent)
		syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
	close(fd);
}

/* Sends all descendants of this process a signal, zombies excepted. */
static void
signal_tree(int sig)
{
	struct process *all;
	size_t n = list(&all);

	mark(all, n);
	for (size_t i = 0; i < n; i++)
		if (all[i].ours)
			send(&all[i], sig);
	free(all);
}

static _Noreturn void
exec_command(const struct guard_job *job, pid_t guard)
{
	sigset_t none;

	setpgid(0, 0);
	if (job->terminal)
		tcsetpgrp(STDIN_FILENO, getpid());
	if (job->out >= 0)
		dup2(job->out, STDOUT_FILENO);
	for (size_t i = 0; i < N_IGNORED; i++)
		signal(ignored[i], SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Should the guard itself be killed. */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == guard)
		execvp(job->argv[0], job->argv);
	msg_errno("%s", msg_str(job->argv[0]));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Takes away who has ended, and reports the command. */
static void
reap(pid_t command, int report)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (pid == command && write(report, &status, sizeof status) < 0)
			return; /* nobody reads it: the end is near */
}

/* All descendants, first asked and then forced. */
static void
end_all(void)
{
	for (int ms = 0; ms < KILL_MS; ms += LOOK_MS) {
		int sig = ms < TERM_MS ? SIGTERM : SIGKILL;

		if (ms % AGAIN_MS == 0 && (ms == 0 || sig == SIGKILL))
			signal_tree(sig);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		if (waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD)
			return;
		poll(NULL, 0, LOOK_MS);
	}
	msg("some of what was started could not be ended");
}

static void
remove_files(const struct guard_job *job)
{
	for (char *const *f = job->files; *f; f++)
		unlink(*f);
	rmdir(job->dir);
}

static _Noreturn void
live(const struct guard_job *job, int control, int report)
{
	struct pollfd p[2] = {{.fd = control, .events = POLLIN}};
	struct signalfd_siginfo info;
	pid_t self = getpid(), command = -1;
	int made = 0;
	sigset_t child;

	setpgid(0, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (size_t i = 0; i < N_IGNORED; i++)
		signal(ignored[i], SIG_IGN);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, NULL);
	p[1] = (struct pollfd){
	    .fd = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK),
	    .events = POLLIN};
	if (mkdir(job->dir, 0700) != 0) {
		msg_errno("%s", msg_str(job->dir));
		_exit(EXIT_SYSTEM);
	}
	if (write(report, &made, sizeof made) > 0 && job->argv != NULL &&
	    (command = fork()) == 0)
		exec_command(job, self);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	if (job->out >= 0)
		close(job->out);
	while (p[0].revents == 0) {
		poll(p, 2, -1);
		while (read(p[1].fd, &info, sizeof info) > 0)
			;
		reap(command, report);
	}
	end_all();
	remove_files(job);
	_exit(0);
}

int
guard_start(struct guard *g, const struct guard_job *job)
{
	int control[2], report[2], made;
	sigset_t all, mask;
	ssize_t n;

	*g = (struct guard){.pid = -1, .control = -1, .report = -1};
	if (pipe2(control, O_CLOEXEC) != 0 || pipe2(report, O_CLOEXEC) != 0) {
		msg_errno("pipe");
		return -1;
	}
	/* No signal meets the guard before it ignores them. */
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &mask);
	g->pid = fork();
	if (g->pid == 0) {
		close(control[1]);
		close(report[0]);
		live(job, control[0], report[1]);
	}
	sigprocmask(SIG_SETMASK, &mask, NULL);
	close(control[0]);
	close(report[1]);
	g->control = control[1];
	g->report = report[0];
	if (g->pid < 0)
		msg_errno("fork");
	/* Its word that the folder is there, or its end. */
	n = read(g->report, &made, sizeof made);
	if (n < 0)
		msg_errno("pipe");
	if (n != (ssize_t)sizeof made)
		return -1;
	fcntl(g->report, F_SETFL, O_NONBLOCK);
	return 0;
}

bool
guard_look(struct guard *g)
{
	ssize_t n;

	if (g->ended)
		return true;
	n = read(g->report, &g->status, sizeof g->status);
	if (n < 0)
		return false;
	if (n == 0) {
		/* Somebody has killed the guard. */
		g->status = SIGKILL;
		end_all();
	}
	g->ended = true;
	return true;
}

void
guard_end(struct guard *g)
{
	if (g->control >= 0)
		close(g->control);
	while (g->pid > 0 && waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (g->report >= 0)
		close(g->report);
	*g = (struct guard){.pid = -1, .control = -1, .report = -1};
}
