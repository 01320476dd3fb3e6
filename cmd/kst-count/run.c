/* SPDX-License-Identifier: ISC */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "elf/elfsym.h"
#include "io/job.h"
#include "opt/words.h"

/* Of a function by name, or in digits. Ends the command if there is none. */
static uint64_t
address_of(struct elfsym *s, const char *option, const char *name)
{
	struct elfsym_func f;
	uint64_t addr;
	char *end;

	addr = strtoull(name, &end, 0);
	if (*name >= '0' && *name <= '9' && *end == 0)
		return addr;
	for (size_t i = 0; s && elfsym_nth(s, i, &f); i++)
		if (strcmp(f.name, name) == 0)
			return f.start;
	opt_wrong("--%s: no function '%s' in the first file of --elf", option,
	    msg_str(name));
}

static struct place
place_of(struct elfsym *s, const char *option, const char *name)
{
	struct place p = {.given = name != NULL};

	if (name == NULL)
		return p;
	if (strncmp(name, "line:", 5) != 0)
		p.addr = address_of(s, option, name);
	else if (name[5] == 0 || strlen(name + 5) >= sizeof p.line)
		opt_wrong("--%s: no text of 1 to %zu bytes after line:", option,
		    sizeof p.line - 1);
	else
		strcpy(p.line, name + 5);
	return p;
}

/* Returns 0, or an exit status after a message. */
static int
make_request(const struct options *o, struct request *r)
{
	struct elfsym *s = NULL;
	struct buf err = BUF_INIT;
	uint64_t size;
	const unsigned char *data;

	if (o->elf.n > 0 &&
	    (s = elfsym_load(o->elf.use[0].arg, 0, &err)) == NULL) {
		msg("%s", buf_str(&err));
		buf_done(&err);
		return msg_status(EXIT_FAILED);
	}
	r->size = sizeof *r;
	r->what =
	    (enum count_what)opt_word(COUNT_UNITS, o->what, strlen(o->what));
	snprintf(r->unit, sizeof r->unit, "%s", o->what);
	if (o->serial && snprintf(r->serial, sizeof r->serial, "%s",
			     o->serial) >= (int)sizeof r->serial)
		opt_wrong("--serial: too long");
	r->high = UINT64_MAX;
	if (s && elfsym_section(s, ".text", &r->low, &size, &data))
		r->high = r->low + size - 1;
	r->from = place_of(s, "from", o->from);
	r->until = place_of(s, "until", o->until);
	if (o->in)
		r->in = address_of(s, "in", o->in);
	elfsym_free(s);
	return 0;
}

/* Starts a command, which ends with this one. Returns -1 after a message. */
static pid_t
start(const struct words *w, int in, int out)
{
	return job_start(&(struct job){.argv = w->v,
	    .in = in,
	    .out = out,
	    .foreign = true,
	    .stays = true});
}

/* A file without a name, which is gone with its descriptor; -1: a message. */
static int
open_temp(void)
{
	const char *dir = getenv("TMPDIR");
	struct buf name = BUF_INIT;
	int fd;

	buf_printf(&name, "%s/kst-count.XXXXXX", dir && *dir ? dir : "/tmp");
	fd = mkostemp(buf_str(&name), O_CLOEXEC);
	if (fd < 0)
		msg_errno("%s", msg_str(buf_str(&name)));
	else
		unlink(buf_str(&name));
	buf_done(&name);
	return fd;
}

/* Whether the plugin has written all, to the end of its last line. */
static bool
is_whole(int fd)
{
	static const char last[] = ",exact=1\n";
	char end[sizeof last - 1];

	return pread(fd, end, sizeof end,
		   lseek(fd, 0, SEEK_END) - (off_t)sizeof end) ==
		   (ssize_t)sizeof end &&
	       memcmp(end, last, sizeof end) == 0;
}

/*
 * Waits until the command has ended and the file is whole, since a script may
 * leave QEMU running, and also others. A signal ends QEMU, and what was counted
 * is shown; the same signal again ends this command. Returns the command's
 * status.
 */
static int
await(pid_t qemu, sigset_t signals, int out)
{
	int status = 0, other, sig;
	pid_t got = 0;

	while (got >= 0 && (qemu > 0 || !is_whole(out))) {
		sigset_t once;

		sigwait(&signals, &sig);
		while ((got = waitpid(-1, &other, WNOHANG)) > 0)
			if (got == qemu) {
				status = other;
				qemu = 0;
			}
		if (sig == SIGCHLD)
			continue;
		if (qemu > 0)
			kill(qemu, SIGTERM);
		sigemptyset(&once);
		sigaddset(&once, sig);
		sigdelset(&signals, sig);
		sigprocmask(SIG_UNBLOCK, &once, NULL);
	}
	return status;
}

/* Runs QEMU with the plugin, which fills the file. Returns an exit status. */
static int
count(const struct options *o, const char *dir, int out)
{
	static const char *const more[] = {"-icount", "shift=0,sleep=off",
	    "-rtc", "clock=vm,base=2020-01-01", "-accel", "tcg,thread=single",
	    "-plugin"};
	struct words w = {0}, built = {0};
	sigset_t signals;
	pid_t qemu;
	int status;

	words_addf(&built, "%s/kst-count.so", dir); /* or installed */
	for (char **a = o->command; *a; a++)
		words_add(&w, *a);
	for (size_t i = o->icount ? 0 : 4; i < sizeof more / sizeof *more; i++)
		words_add(&w, more[i]);
	words_addf(&w, "%s/%skst-count.so,result=/proc/%ld/fd/%d", dir,
	    access(*built.v, R_OK) == 0 ? "" : "../lib/kst/", (long)getpid(),
	    out);
	words_done(&built);
	port_adopt();
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigaddset(&signals, SIGHUP);
	sigaddset(&signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	qemu = start(&w, STDIN_FILENO, STDERR_FILENO);
	words_done(&w);
	if (qemu < 0)
		return EXIT_SYSTEM;
	status = await(qemu, signals, out);
	sigprocmask(SIG_UNBLOCK, &signals, NULL);
	if (!is_whole(out)) {
		/* The plugin empties the file first. */
		bool begun = lseek(out, 0, SEEK_END) < (off_t)sizeof o->request;

		msg("nothing was counted: %s %s", msg_str(o->command[0]),
		    WIFSIGNALED(status) ? "was killed"
		    : begun ? "has executed nothing in QEMU's emulation (TCG)"
			    : "does not hand its last arguments on to a QEMU "
			      "with plugins and TCG");
		return WIFSIGNALED(status) ? EXIT_SYSTEM : EXIT_FAILED;
	}
	if (!o->icount)
		msg("without -icount, another run counts differently");
	return 0;
}

/*
 * Names the addresses, if there are files, and folds, by the commands in this
 * one's folder. Returns the worst exit status.
 */
static int
finish(const struct options *o, const char *dir, int in)
{
	int worst = 0;

	for (int last = o->elf.n == 0; last < 2 && worst <= EXIT_FAILED;
	     last++) {
		int out = last ? STDOUT_FILENO : open_temp(), status = 0;
		struct words w = {0};
		pid_t pid;

		words_addf(&w, "%s/kst-%s", dir, last ? "fold" : "sym");
		for (size_t i = 0; !last && i < o->elf.n; i++) {
			words_add(&w, "-e");
			words_add(&w, o->elf.use[i].arg);
		}
		lseek(in, 0, SEEK_SET);
		pid = out < 0 ? -1 : start(&w, in, out);
		while (
		    pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		status = pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status)
						      : EXIT_SYSTEM;
		worst = status > worst ? status : worst;
		in = out;
		words_done(&w);
	}
	return worst;
}

int
run(const struct options *o)
{
	const char *dir = port_own_folder();
	struct request request = o->request;
	int status, file;

	if (dir == NULL)
		dir = KST_DATADIR "/../../bin";
	signal(SIGCHLD, SIG_DFL);
	if ((status = make_request(o, &request)) != 0)
		return status;
	if ((file = open_temp()) < 0)
		return EXIT_SYSTEM;
	if (write(file, &request, sizeof request) != (ssize_t)sizeof request) {
		msg_errno("a temporary file");
		return EXIT_SYSTEM;
	}
	status = count(o, dir, file);
	return status == 0 ? finish(o, dir, file) : status;
}
