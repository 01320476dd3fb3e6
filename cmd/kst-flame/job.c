/* SPDX-License-Identifier: ISC */
#include "job.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"

/* Milliseconds: for an orderly end, and until it is given up. */
enum { TERM_MS = 3000, KILL_MS = 8000, LOOK_MS = 10 };

bool
job_ended(pid_t pid, int *status)
{
	pid_t got = waitpid(pid, status, WNOHANG);

	return got == pid || (got < 0 && errno == ECHILD);
}

int
job_status(const char *name, int s)
{
	if (WIFSIGNALED(s))
		msg("%s was ended by signal %d", msg_str(name), WTERMSIG(s));
	else if (s != 0)
		msg("%s ended with status %d", msg_str(name), WEXITSTATUS(s));
	return WIFSIGNALED(s) ? 128 + WTERMSIG(s) : WEXITSTATUS(s);
}

char *
job_read(char *const *argv)
{
	char *text = NULL;
	int pipe[2], status;
	size_t cap = 0;
	pid_t pid;
	FILE *f = NULL;
	ssize_t n;

	if (pipe2(pipe, O_CLOEXEC) != 0 || (f = fdopen(pipe[0], "r")) == NULL) {
		msg_errno("pipe");
		return NULL;
	}
	pid = job_start(&(struct job){.argv = argv, .out = pipe[1]});
	close(pipe[1]);
	n = getdelim(&text, &cap, 0, f);
	fclose(f);
	if (pid > 0 && waitpid(pid, &status, 0) == pid &&
	    job_status(argv[0], status) == 0 && n > 0)
		return text;
	free(text);
	return NULL;
}

void
job_show(const char *path)
{
	if (fork() != 0)
		return;
	job_signals();
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

void
terminal_take(struct terminal *t)
{
	t->group = getpgrp();
	t->ours = tcgetpgrp(STDIN_FILENO) == t->group &&
		  tcgetattr(STDIN_FILENO, &t->modes) == 0;
}

void
terminal_return(const struct terminal *t)
{
	if (!t->ours)
		return;
	tcsetpgrp(STDIN_FILENO, t->group);
	tcsetattr(STDIN_FILENO, TCSANOW, &t->modes);
}

/* The signals that end a run; with SIGCHLD, those that guard_signals() blocks.
 */
static const int ends[] = {SIGINT, SIGTERM, SIGHUP, GUARD_GONE};
enum { N_ENDS = sizeof ends / sizeof *ends };
static sigset_t held;

/* A signal without a handler may be dropped while it is blocked. */
static void
on_child(int sig)
{
	(void)sig;
}

void
guard_signals(void)
{
	sigemptyset(&held);
	sigaddset(&held, SIGCHLD);
	for (size_t i = 0; i < N_ENDS; i++)
		sigaddset(&held, ends[i]);
	sigprocmask(SIG_BLOCK, &held, NULL);
	signal(SIGCHLD, on_child);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
}

int
guard_signal(void)
{
	sigset_t pending, one;
	int sig;

	sigpending(&pending);
	for (size_t i = 0; i < N_ENDS; i++) {
		if (!sigismember(&pending, ends[i]))
			continue;
		sigemptyset(&one);
		sigaddset(&one, ends[i]);
		if (sigwait(&one, &sig) == 0)
			return sig;
	}
	return 0;
}

int
guard_work(int (*work)(void *arg), void *arg)
{
	pid_t self = getpid(), pid;
	int status, sig;

	port_adopt();
	pid = fork();
	if (pid == 0) {
		/* What a terminal sends, it gets from its parent. */
		setpgid(0, 0);
		port_adopt();
		port_end_with_parent(GUARD_GONE);
		if (getppid() != self)
			raise(GUARD_GONE);
		exit(work(arg));
	}
	if (pid < 0) {
		msg_errno("fork");
		return EXIT_SYSTEM << 8;
	}
	for (;;) {
		if (sigwait(&held, &sig) == 0 && sig != SIGCHLD)
			kill(pid, sig);
		if (waitpid(pid, &status, WNOHANG) == pid)
			return status;
	}
}

struct pids {
	pid_t *pid;
	size_t n, cap;
};

static void
add_child(void *list, pid_t pid)
{
	struct pids *l = list;

	*xpush(l->pid, l->n, l->cap) = pid;
}

/* Whether it is a new one in the list. */
static bool
ask(struct pids *l, pid_t pid)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->pid[i] == pid)
			return false;
	*xpush(l->pid, l->n, l->cap) = pid;
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
		port_children(getpid(), add_child, &now);
		for (size_t i = 0; i < now.n; i++)
			port_children(now.pid[i], add_child, &now);
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
