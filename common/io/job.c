/* SPDX-License-Identifier: ISC */
#include "io/job.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"

/* Milliseconds: for an orderly end, until it is given up, between looks, and in
 * which two wishes are the same one. */
enum { TERM_MS = 3000, KILL_MS = 8000, LOOK_MS = 10, SAME_MS = 1000 };

/* The terminal, if we were its foreground: our group, and its modes. */
static struct {
	bool ours;
	pid_t group;
	struct termios modes;
} terminal;

static struct {
	bool owns;   /* job_own() was called */
	pid_t first; /* in the process that works: the one that waits */
	sigset_t held;
	int wishes;
	int64_t wished; /* when the first one came */
} owner;

void
job_signals(void)
{
	sigset_t none;

	signal(SIGCHLD, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGTTOU, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* `report`: where the errno of a failure goes; -1: to standard error. */
static _Noreturn void
exec_job(const struct job *j, pid_t parent, int report)
{
	const int fd[3] = {j->in, j->out, j->err};

	if (!j->stays)
		setpgid(0, 0);
	if (j->terminal && terminal.ours)
		tcsetpgrp(STDIN_FILENO, getpid());
	for (int i = 0; i < 3; i++)
		if (fd[i] > 0)
			dup2(fd[i], i);
	if (j->keep > 0)
		fcntl(j->keep, F_SETFD, 0);
	job_signals();
	if (!j->outlives)
		port_end_with_parent(SIGTERM);
	if (getppid() == parent && j->foreign)
		execvp(j->argv[0], j->argv);
	else if (getppid() == parent)
		port_exec(j->argv);
	if (report < 0 || write(report, &errno, sizeof errno) < 0)
		msg_errno("%s", msg_str(j->argv[0]));
	_exit(!j->foreign ? EXIT_SYSTEM : errno == ENOENT ? 127 : 126);
}

/* A program has closed the other end when it begins; else errno comes. */
static bool
has_begun(pid_t pid, int report, int *error)
{
	ssize_t n;

	do
		n = read(report, error, sizeof *error);
	while (n < 0 && errno == EINTR);
	close(report);
	if (n != (ssize_t)sizeof *error)
		return true;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return false;
}

pid_t
job_start(const struct job *j)
{
	int report[2] = {-1, -1};
	pid_t parent = getpid(), pid = -1;

	if (j->error == NULL || pipe2(report, O_CLOEXEC) == 0)
		pid = fork();
	if (pid == 0)
		exec_job(j, parent, report[1]);
	if (pid < 0 && j->error == NULL)
		msg_errno("%s", msg_str(j->argv[0]));
	else if (pid < 0)
		*j->error = errno;
	if (report[1] >= 0)
		close(report[1]);
	if (pid < 0 && report[0] >= 0)
		close(report[0]);
	if (pid < 0 || (j->error && !has_begun(pid, report[0], j->error)))
		return -1;
	if (!j->stays)
		setpgid(pid, pid); /* whichever of both is first */
	port_started(pid);
	return pid;
}

bool
job_ended(pid_t pid, int *status)
{
	pid_t got = waitpid(pid, status, WNOHANG);

	return got == pid || (got < 0 && errno == ECHILD);
}

int
job_wait(pid_t pid)
{
	int status = EXIT_SYSTEM << 8;
	bool told = false;

	if (!owner.owns) {
		while (
		    pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		return status;
	}
	while (pid > 0 && !job_ended(pid, &status)) {
		if (!told && job_asked() > 1)
			told = kill(pid, SIGTERM) == 0;
		poll(NULL, 0, LOOK_MS);
	}
	return status;
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
job_output(char *const *argv)
{
	char *text = NULL;
	int pipe[2];
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
	if (pid > 0 && job_status(argv[0], job_wait(pid)) == 0)
		return n > 0 ? text : (free(text), xcalloc(1, 1));
	free(text);
	return NULL;
}

static void
terminal_take(void)
{
	terminal.group = getpgrp();
	terminal.ours = tcgetpgrp(STDIN_FILENO) == terminal.group &&
			tcgetattr(STDIN_FILENO, &terminal.modes) == 0;
}

static void
terminal_return(void)
{
	if (!terminal.ours)
		return;
	tcsetpgrp(STDIN_FILENO, terminal.group);
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.modes);
}

/* A signal without a handler may be dropped while it is blocked. */
static void
on_child(int sig)
{
	(void)sig;
}

/* From here on signals wait until they are asked for. */
static void
hold_signals(void)
{
	owner.owns = true;
	sigemptyset(&owner.held);
	sigaddset(&owner.held, SIGCHLD);
	sigaddset(&owner.held, SIGINT);
	sigaddset(&owner.held, SIGTERM);
	sigaddset(&owner.held, SIGHUP);
	sigprocmask(SIG_BLOCK, &owner.held, NULL);
	signal(SIGCHLD, on_child);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
}

/* Whether one of those that end a run waits; takes it. */
static bool
take_signal(void)
{
	static const int ends[] = {SIGINT, SIGTERM, SIGHUP};
	sigset_t pending, one;
	int sig;

	sigpending(&pending);
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		if (!sigismember(&pending, ends[i]))
			continue;
		sigemptyset(&one);
		sigaddset(&one, ends[i]);
		if (sigwait(&one, &sig) == 0)
			return true;
	}
	return false;
}

int64_t
job_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

static void
wish(void)
{
	int64_t now = job_ms();

	if (owner.wishes > 0 && now - owner.wished < SAME_MS)
		return;
	if (owner.wishes++ == 0)
		owner.wished = now;
}

int
job_asked(void)
{
	while (owner.owns && take_signal())
		wish();
	if (owner.first > 0 && getppid() != owner.first) {
		owner.first = 0;
		if (owner.wishes == 0)
			wish();
	}
	return owner.wishes;
}

struct pids {
	pid_t *pid; /* or a group, below 0, as kill() takes it */
	size_t n, cap;
};

static void
add(void *list, pid_t pid)
{
	struct pids *l = list;

	*xpush(l->pid, l->n, l->cap) = pid;
}

static struct pids asked; /* have had SIGTERM */

/* Sends SIGTERM to what has not had it yet, or SIGKILL to all. */
static void
signal_all(int sig)
{
	struct pids now = {0};

	port_groups(add, &now);
	port_children(getpid(), add, &now);
	/* Those that are found have children, too. */
	for (size_t i = 0; i < now.n; i++)
		if (now.pid[i] > 0)
			port_children(now.pid[i], add, &now);
	for (size_t i = 0; i < now.n; i++) {
		bool had = false;

		for (size_t k = 0; sig == SIGTERM && k < asked.n; k++)
			had |= asked.pid[k] == now.pid[i];
		if (had)
			continue;
		if (sig == SIGTERM)
			add(&asked, now.pid[i]);
		kill(now.pid[i], sig);
	}
	free(now.pid);
}

void
job_ask_all(void)
{
	static int64_t last = -SAME_MS;
	int64_t now = job_ms();

	if (now - last >= SAME_MS) {
		asked.n = 0;
		last = now;
	}
	signal_all(SIGTERM);
}

bool
job_left(void)
{
	struct pids groups = {0};
	bool left;

	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
	left = waitpid(-1, NULL, WNOHANG) == 0;
	port_groups(add, &groups);
	for (size_t i = 0; i < groups.n; i++)
		left |= kill(groups.pid[i], 0) == 0;
	free(groups.pid);
	return left;
}

/* Those that leave their parents while this goes on come to us. */
void
job_end_all(void)
{
	int64_t begin = job_ms(), ms = 0;
	bool left;

	/* by the clock: on a busy machine, a look takes longer */
	while ((left = job_left()) && ms < KILL_MS) {
		if (ms < TERM_MS && job_asked() < 2)
			job_ask_all();
		else
			signal_all(SIGKILL);
		poll(NULL, 0, LOOK_MS);
		ms = job_ms() - begin;
	}
	if (left)
		msg("some processes of the command could not be ended");
	terminal_return();
}

int
job_own(int (*work)(void *arg), void *arg)
{
	pid_t self = getpid(), pid;
	int status, sig;

	hold_signals();
	terminal_take();
	port_adopt();
	pid = fork();
	if (pid == 0) {
		/* What a terminal sends, it gets from its parent. */
		setpgid(0, 0);
		port_adopt();
		owner.first = self;
		exit(work(arg));
	}
	if (pid < 0) {
		msg_errno("fork");
		return EXIT_SYSTEM << 8;
	}
	do
		if (sigwait(&owner.held, &sig) == 0 && sig != SIGCHLD)
			kill(pid, sig);
	while (!job_ended(pid, &status));
	job_end_all();
	return status;
}
