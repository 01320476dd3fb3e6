/* SPDX-License-Identifier: ISC */
/* The filters after the capture, joined by pipes. */
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "flame.h"

enum { STEPS_MAX = 3, WAIT_MS = 10 };

struct steps {
	struct words words[STEPS_MAX];
	pid_t pid[STEPS_MAX];
	size_t n, started;
};

static const char one_stack[] = "Thread 1 (Thread 1.1 (CPU#0 [running])):\n"
				"#0  0x0000000000000001 in f ()\n";

/* What stands beside this command comes before others of its name. */
static void
exec_step(char *const *argv)
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

pid_t
steps_start(char *const *argv, int in, int out, int err)
{
	pid_t parent = getpid(), pid = fork();
	sigset_t none;

	if (pid < 0)
		msg_errno("%s", argv[0]);
	if (pid != 0)
		return pid;
	setpgid(0, 0);
	if (in >= 0)
		dup2(in, STDIN_FILENO);
	if (out >= 0)
		dup2(out, STDOUT_FILENO);
	if (err >= 0)
		dup2(err, STDERR_FILENO);
	signal(SIGPIPE, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == parent)
		exec_step(argv);
	msg_errno("%s", argv[0]);
	_exit(EXIT_SYSTEM);
}

static void
add(struct steps *s, const char *name, const struct opt_list *options)
{
	struct words *w = &s->words[s->n++];

	words_add(w, name);
	if (options)
		options_words(w, options);
}

static void
choose(struct steps *s, const struct plan *p)
{
	*s = (struct steps){0};
	add(s, "kst-clean", &p->o->clean);
	if (p->form == FORM_JSON) {
		add(s, "kst-json", NULL);
		words_add(&s->words[1], "--to-json");
		return;
	}
	add(s, "kst-fold", &p->o->fold);
	if (p->form == FORM_SVG)
		add(s, "kst-svg", &p->o->svg);
}

/* Starts all, from `in` to `out`, which are closed. */
static int
start(struct steps *s, int in, int out, int err)
{
	int status = 0;

	for (; s->started < s->n && status == 0; s->started++) {
		int pipe[2] = {-1, out};

		if (s->started + 1 < s->n && pipe2(pipe, O_CLOEXEC) != 0) {
			msg_errno("pipe");
			status = EXIT_SYSTEM;
			break;
		}
		s->pid[s->started] =
		    steps_start(s->words[s->started].v, in, pipe[1], err);
		if (s->pid[s->started] < 0)
			status = EXIT_SYSTEM;
		close(in);
		in = pipe[0];
		if (pipe[1] != out)
			close(pipe[1]);
	}
	if (in >= 0)
		close(in);
	close(out);
	return status;
}

static int
worse(int a, int b)
{
	return a > b ? a : b;
}

/* Whether a signal asks for the end; a short wait. */
static bool
is_asked(int signals)
{
	struct pollfd p = {.fd = signals, .events = POLLIN};
	struct signalfd_siginfo s;
	bool asked = false;

	poll(&p, 1, WAIT_MS);
	while (signals >= 0 && read(signals, &s, sizeof s) == (ssize_t)sizeof s)
		asked |= s.ssi_signo != SIGCHLD;
	return asked;
}

/* Waits for all; the worst status. */
static int
finish(struct steps *s, int signals)
{
	int status, worst = 0;

	for (size_t i = 0; i < s->started; i++) {
		while (
		    s->pid[i] > 0 && waitpid(s->pid[i], &status, WNOHANG) == 0)
			if (is_asked(signals))
				kill(s->pid[i], SIGTERM);
		if (s->pid[i] <= 0 || !WIFEXITED(status))
			worst = EXIT_SYSTEM;
		else
			worst = worse(worst, WEXITSTATUS(status));
	}
	for (size_t i = 0; i < s->n; i++)
		words_done(&s->words[i]);
	return worst;
}

int
steps_run(const struct plan *p, int signals)
{
	struct steps s;
	int in = open(p->text, O_RDONLY | O_CLOEXEC), status;
	int out =
	    open(p->drawn, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (in < 0 || out < 0) {
		msg_errno("%s", msg_str(in < 0 ? p->text : p->drawn));
		return EXIT_SYSTEM;
	}
	choose(&s, p);
	status = start(&s, in, out, -1);
	return worse(status, finish(&s, signals));
}

/* A file without a name that holds a text. */
static int
text_file(const char *text, size_t len)
{
	int fd = memfd_create("kst-flame", MFD_CLOEXEC);

	if (fd >= 0 && (write(fd, text, len) != (ssize_t)len ||
			   lseek(fd, 0, SEEK_SET) != 0)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

int
steps_check(const struct plan *p)
{
	int in = text_file(one_stack, sizeof one_stack - 1), status;
	int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int said = text_file("", 0);
	char block[4096];
	struct steps s;
	ssize_t n;

	choose(&s, p);
	status = start(&s, in, out, said);
	status = worse(status, finish(&s, -1));
	lseek(said, 0, SEEK_SET);
	/* One stack of nothing may well be too little for them. */
	while (
	    status >= EXIT_USAGE && (n = read(said, block, sizeof block)) > 0)
		if (write(STDERR_FILENO, block, (size_t)n) < 0)
			break;
	close(said);
	return status >= EXIT_USAGE ? status : 0;
}

void
steps_show(const char *path)
{
	char *argv[] = {(char *)"xdg-open", (char *)(uintptr_t)path, NULL};
	pid_t pid = fork();

	if (pid == 0) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		setsid();
		execvp(argv[0], argv);
		msg_errno("%s", argv[0]);
		_exit(127);
	}
}
