/* SPDX-License-Identifier: ISC */
/*
 * The run: QEMU starts, its stub appears, kst-capture samples it, something
 * ends that, and the steps make the output.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/msg.h"
#include "flame.h"
#include "guard.h"
#include "qemu.h"
#include "watch.h"

/* Milliseconds: between looks, and until a mute QEMU is spoken of. */
enum { LOOK_MS = 20, MUTE_MS = 10000, LAST_MS = 3000 };

struct run {
	const struct plan *p;
	struct guard guard;
	struct watch watch;
	int signals;   /* a descriptor */
	int caught;    /* signals that ask for the end, */
	int told;      /* and how many of them kst-capture got */
	pid_t capture; /* 0: not started */
	int status;    /* of it, as of waitpid(), when it has ended */
	bool captured;
	int said;	   /* its messages, while QEMU writes to the terminal */
	int looks;	   /* how often nothing was there to be sampled */
	bool gone;	   /* by what kst-capture said, the guest has ended, */
	bool stopped;	   /* or was stopped, */
	bool other_kernel; /* or has another kernel */
	bool terminal;	   /* QEMU has it */
	struct termios modes;
};

static void
take_signals(struct run *r)
{
	struct signalfd_siginfo s;

	while (read(r->signals, &s, sizeof s) == (ssize_t)sizeof s)
		r->caught += s.ssi_signo != SIGCHLD;
	if (r->capture > 0 && !r->captured &&
	    waitpid(r->capture, &r->status, WNOHANG) == r->capture)
		r->captured = true;
}

/* Waits for a moment, or until something has happened. */
static void
look(struct run *r)
{
	struct pollfd p[3] = {{.fd = r->signals, .events = POLLIN},
	    {.fd = r->guard.ended ? -1 : r->guard.report, .events = POLLIN},
	    {.fd = r->watch.relay ? r->watch.fd : -1, .events = POLLIN}};

	poll(p, 3, LOOK_MS);
	take_signals(r);
	guard_look(&r->guard);
	if (r->watch.fd < 0 && r->p->o->serial &&
	    (r->watch.from || r->watch.until))
		r->watch.fd =
		    open(r->p->o->serial, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (r->watch.fd >= 0 && !watch_read(&r->watch) && r->watch.relay) {
		close(r->watch.fd);
		r->watch.fd = -1;
	}
}

/* Whether the moment has come to sample. */
static bool
may_begin(struct run *r)
{
	if (r->p->argv == NULL)
		return true;
	if (access(r->p->socket, F_OK) != 0) {
		if (++r->looks == MUTE_MS / LOOK_MS)
			msg("QEMU has no gdb stub yet: does the command pass "
			    "its last arguments, or $KST_QEMU_ARGS, on to "
			    "QEMU (--qemu-args)?");
		return false;
	}
	return r->watch.from == NULL || r->watch.from_seen;
}

/* Files are made here alone: the guard takes them away when this has ended. */
static int
begin(struct run *r)
{
	int out =
	    open(r->p->text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	struct words w = {0};

	if (out < 0) {
		msg_errno("%s", msg_str(r->p->text));
		return -1;
	}
	plan_capture(r->p, &w);
	r->capture = steps_start(w.v, -1, out, r->said);
	words_done(&w);
	close(out);
	return r->capture > 0 ? 0 : -1;
}

/* Hands on what asks for the end; kst-capture takes two of them. */
static void
tell(struct run *r)
{
	int ends = r->caught + r->watch.until_seen;

	for (; r->told < ends; r->told++)
		kill(r->capture, SIGTERM);
}

/* Until the capture has ended, or there is none. */
static int
sample(struct run *r)
{
	for (;;) {
		if (r->capture == 0) {
			if (r->caught > 0 || r->guard.ended)
				return -1;
			if (may_begin(r) && begin(r) != 0)
				return -1;
		} else {
			if (r->captured)
				return 0;
			tell(r);
		}
		look(r);
	}
}

/* Whether a line of kst-capture's says that the guest has gone. */
static bool
is_end(const char *line)
{
	return strstr(line, "QEMU has closed the connection") ||
	       strstr(line, "the guest was shut down");
}

/* Hands on what kst-capture said, but for the guest's end or stop. */
static void
say(struct run *r)
{
	FILE *f = r->said >= 0 ? fdopen(r->said, "r") : NULL;
	char line[4096];

	if (f == NULL)
		return;
	rewind(f);
	while (fgets(line, sizeof line, f) != NULL) {
		if (is_end(line))
			r->gone = true;
		else if (strstr(line, "stopped by somebody else"))
			r->stopped = true;
		else
			fputs(line, stderr);
		if (strstr(line, "is not the running kernel"))
			r->other_kernel = true;
	}
	fclose(f);
}

/* How many samples the capture says that it has, at its end. */
static uint64_t
taken(const char *path)
{
	char end[4096], *at;
	FILE *f = fopen(path, "re");
	size_t n = 0;

	if (f != NULL) {
		if (fseek(f, -(long)(sizeof end - 1), SEEK_END) != 0)
			rewind(f);
		n = fread(end, 1, sizeof end - 1, f);
		fclose(f);
	} else {
		msg_errno("%s", msg_str(path));
	}
	end[n] = 0;
	at = strstr(end, "[kst-capture-summary taken=");
	return at ? strtoull(strchr(at, '=') + 1, NULL, 10) : 0;
}

/* The status of a command that has failed by itself, as a shell gives it. */
static int
passed_on(const struct run *r)
{
	int s = r->guard.status;

	if (!r->guard.ended || s == 0)
		return 0;
	if (WIFEXITED(s))
		msg("%s ended with status %d", msg_str(r->p->argv[0]),
		    WEXITSTATUS(s));
	else
		msg("%s was ended by signal %d", msg_str(r->p->argv[0]),
		    WTERMSIG(s));
	return WIFEXITED(s) ? WEXITSTATUS(s) : 128 + WTERMSIG(s);
}

static int
put_in_place(const char *from, const char *to)
{
	if (rename(from, to) == 0) {
		msg("wrote %s", msg_str(to));
		return 0;
	}
	msg_errno("%s", msg_str(to));
	return EXIT_SYSTEM;
}

/* From the capture to the output. `whole`: the system did not fail in it. */
static int
make(struct run *r, bool whole)
{
	const struct options *o = r->p->o;
	int status = EXIT_SYSTEM, kept = 0;

	if (!whole)
		msg("the capture is not whole: %s is left as it was",
		    msg_str(o->output));
	else if (r->p->form == FORM_TXT)
		return put_in_place(r->p->text, o->output);
	else
		status = steps_run(r->p, r->signals);
	if (o->keep)
		kept = put_in_place(r->p->text, o->keep);
	if (status <= EXIT_FAILED && put_in_place(r->p->drawn, o->output) != 0)
		status = EXIT_SYSTEM;
	return status > kept ? status : kept;
}

/* QEMU gets the terminal if it is ours, so that a guest can be typed to. */
static void
take_terminal(struct run *r)
{
	r->terminal = tcgetpgrp(STDIN_FILENO) == getpgrp() &&
		      tcgetattr(STDIN_FILENO, &r->modes) == 0;
}

static void
return_terminal(struct run *r)
{
	if (!r->terminal)
		return;
	tcsetpgrp(STDIN_FILENO, getpgrp());
	tcsetattr(STDIN_FILENO, TCSANOW, &r->modes);
}

/* Starts the guard, and by it the command, if there is one. */
static int
start(struct run *r)
{
	const struct plan *p = r->p;
	struct words options = {0}, command = {0}, env = {0};
	char *files[] = {p->socket, p->text, p->drawn, NULL};
	struct guard_job job = {.out = -1, .files = files, .dir = p->dir};
	int pipe[2] = {-1, -1}, status = 0;

	if (p->argv) {
		take_terminal(r);
		qemu_options(&options, p->socket, r->watch.from == NULL);
		qemu_command(&command, p->argv, &options, p->o->qemu_args);
		qemu_command(
		    &env, (char *[]){(char *)"", NULL}, &options, "{}");
		setenv("KST_QEMU_ARGS", env.v[1], 1);
		job.argv = command.v;
		job.terminal = r->terminal;
		r->said = memfd_create("kst-flame", MFD_CLOEXEC);
	}
	if ((r->watch.from || r->watch.until) && p->o->serial == NULL) {
		status = pipe2(pipe, O_CLOEXEC);
		fcntl(pipe[0], F_SETFL, O_NONBLOCK);
		job.out = pipe[1];
		r->watch.fd = pipe[0];
		r->watch.relay = true;
	}
	if (status != 0)
		msg_errno("pipe");
	else
		status = guard_start(&r->guard, &job);
	if (pipe[1] >= 0)
		close(pipe[1]);
	words_done(&options);
	words_done(&command);
	words_done(&env);
	return status;
}

/*
 * A guest that ended the capture may still have something to say, and QEMU
 * stops one that switches itself off before it ends.
 */
static void
last_words(struct run *r)
{
	for (int ms = 0; (r->gone || r->stopped) && !r->guard.ended &&
			 r->caught == 0 && ms < LAST_MS;
	     ms += LOOK_MS)
		look(r);
	r->gone |= r->stopped && r->guard.ended;
	if (r->stopped && !r->gone)
		msg("the guest was stopped by somebody else, and is left so");
	if (r->watch.fd >= 0)
		watch_read(&r->watch);
}

/* What it all comes to. */
static int
judge(struct run *r, bool sampled)
{
	int own = WIFEXITED(r->status) ? WEXITSTATUS(r->status) : EXIT_SYSTEM;
	int theirs = passed_on(r), made;

	if (!sampled && r->caught > 0)
		msg("interrupted before anything was sampled");
	else if (!sampled && theirs == 0 && msg_status(0) == 0)
		msg("the command has ended, and no QEMU of it was sampled");
	if (!sampled || taken(r->p->text) == 0)
		return theirs		? theirs
		       : sampled && own ? own
					: msg_status(EXIT_FAILED);
	/* The guest's end is one of the ends that were asked for. */
	if (own == EXIT_FAILED && (r->gone || r->told > 0) && !r->other_kernel)
		own = 0;
	made = make(r, own != EXIT_SYSTEM);
	if (made == 0 && r->p->o->open)
		steps_show(r->p->o->output);
	if (made >= EXIT_USAGE || theirs == 0)
		return made > own ? made : own;
	return theirs;
}

/* The signals that end the run, and those of children, by a descriptor. */
static void
hold_signals(struct run *r)
{
	static const int held[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof held / sizeof *held; i++)
		sigaddset(&set, held[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	r->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGTTOU, SIG_IGN);
}

int
run(const struct plan *p)
{
	struct run r = {.p = p,
	    .said = -1,
	    .watch.fd = -1,
	    .guard = {.pid = -1, .control = -1, .report = -1}};
	int status = EXIT_USAGE;
	bool sampled;

	if (watch_for(&r.watch.from, "from", p->o->from) == 0 &&
	    watch_for(&r.watch.until, "until", p->o->until) == 0)
		status = steps_check(p);
	hold_signals(&r);
	if (status == 0 && start(&r) != 0) {
		status = EXIT_SYSTEM;
	} else if (status == 0) {
		sampled = sample(&r) == 0;
		say(&r);
		last_words(&r);
		return_terminal(&r);
		status = judge(&r, sampled);
		guard_end(&r.guard);
	}
	watch_done(&r.watch);
	return status;
}
