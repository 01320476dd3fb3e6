/* SPDX-License-Identifier: ISC */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"

struct words {
	const char **v; /* NULL after the last */
	size_t n, cap;
};

static void
add(struct words *w, const char *word)
{
	w->v = xgrow(w->v, w->n + 2, &w->cap, sizeof *w->v);
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

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

/* A comma in a value ends it for QEMU, two do not. */
static void
add_text(struct buf *b, const char *key, const char *text)
{
	buf_printf(b, ",%s=", key);
	for (; *text; text++)
		buf_printf(b, *text == ',' ? ",," : "%c", *text);
}

static void
add_place(
    struct buf *b, struct elfsym *s, const char *option, const char *place)
{
	if (place == NULL)
		return;
	if (strncmp(place, "line:", 5) != 0)
		buf_printf(
		    b, ",%s=0x%" PRIx64, option, address_of(s, option, place));
	else
		add_text(b, option, place);
}

/* The argument of -plugin. Returns 0, or an exit status after a message. */
static int
plugin_words(const struct options *o, const char *exe, struct buf *b)
{
	const int dir = (int)(strrchr(exe, '/') - exe);
	struct elfsym *s = NULL;
	struct buf err = BUF_INIT;
	uint64_t low, size;
	const unsigned char *data;

	if (o->elf.n > 0 &&
	    (s = elfsym_load(o->elf.use[0].arg, 0, &err)) == NULL) {
		msg("%s", buf_str(&err));
		buf_done(&err);
		return msg_status(EXIT_FAILED);
	}
	buf_printf(b, "%.*s/kst-count.so", dir, exe);
	if (access(buf_str(b), R_OK) != 0) { /* installed */
		b->len = 0;
		buf_printf(b, "%.*s/../lib/kst/kst-count.so", dir, exe);
	}
	buf_printf(b, ",what=%s", o->what);
	if (o->serial)
		add_text(b, "serial", o->serial);
	if (s && elfsym_section(s, ".text", &low, &size, &data))
		buf_printf(b, ",low=0x%" PRIx64 ",high=0x%" PRIx64, low,
		    low + size - 1);
	add_place(b, s, "from", o->from);
	add_place(b, s, "until", o->until);
	if (o->in)
		buf_printf(b, ",in=0x%" PRIx64, address_of(s, "in", o->in));
	if (o->limit > 0)
		buf_printf(b, ",limit=%" PRIu64, o->limit);
	if (o->every > 0)
		buf_printf(b, ",every=%" PRIu64, o->every);
	elfsym_free(s);
	return 0;
}

static volatile sig_atomic_t qemu; /* 0: it has ended */

/* Ends QEMU, and what was counted is shown. The next signal ends the command.
 */
static void
on_signal(int sig)
{
	(void)sig;
	if (qemu > 0)
		kill(qemu, SIGTERM);
}

/* Starts a command, which ends with this one. Returns -1 after a message. */
static pid_t
start(const struct words *w, int in, int out)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		dup2(in, STDIN_FILENO);
		dup2(out, STDOUT_FILENO);
		if (getppid() == parent)
			execvp(w->v[0], (char *const *)w->v);
		msg_errno("%s", msg_str(w->v[0]));
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		msg_errno("fork");
	return pid;
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
 * leave QEMU running, and also others. Returns the command's status.
 */
static int
await(int out)
{
	int status = 0, other;
	pid_t got;

	while ((got = wait(&other)) >= 0 || errno == EINTR) {
		if (got == qemu) {
			status = other;
			qemu = 0;
		}
		if (qemu == 0 && is_whole(out))
			break;
	}
	return status;
}

/* Runs QEMU with the plugin, which fills the file. Returns an exit status. */
static int
count(const struct options *o, const char *plugin, int out)
{
	const struct sigaction once = {
	    .sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	struct words w = {0};
	int status;

	for (char **a = o->command; *a; a++)
		add(&w, *a);
	if (o->icount) {
		add(&w, "-icount");
		add(&w, "shift=0,sleep=off");
		add(&w, "-rtc");
		add(&w, "clock=vm,base=2020-01-01");
	}
	add(&w, "-accel");
	add(&w, "tcg,thread=single");
	add(&w, "-plugin");
	add(&w, plugin);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	qemu = start(&w, STDIN_FILENO, STDERR_FILENO);
	free(w.v);
	if (qemu < 0)
		return EXIT_SYSTEM;
	sigaction(SIGINT, &once, NULL);
	sigaction(SIGTERM, &once, NULL);
	sigaction(SIGHUP, &once, NULL);
	status = await(out);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_DFL);
	if (!is_whole(out)) {
		msg("nothing was counted: %s %s", msg_str(o->command[0]),
		    WIFSIGNALED(status) ? "was killed"
					: "does not hand its last arguments on "
					  "to a QEMU with plugins and TCG");
		return WIFSIGNALED(status) ? EXIT_SYSTEM : EXIT_FAILED;
	}
	if (!o->icount)
		msg("without -icount, another run counts differently");
	return 0;
}

/* A filter that stands beside this command. Returns its exit status. */
static int
filter(const char *path, const struct opt_list *elf, int in, int out)
{
	struct words w = {0};
	int status;
	pid_t pid;

	add(&w, path);
	for (size_t i = 0; elf && i < elf->n; i++) {
		add(&w, "-e");
		add(&w, elf->use[i].arg);
	}
	lseek(in, 0, SEEK_SET);
	pid = start(&w, in, out);
	free(w.v);
	if (pid < 0)
		return EXIT_SYSTEM;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_SYSTEM;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SYSTEM;
}

/* Names addresses and folds, by the commands in this one's folder. */
static int
finish(const struct options *o, const char *exe, int in)
{
	const int dir = (int)(strrchr(exe, '/') - exe);
	struct buf sym = BUF_INIT, fold = BUF_INIT;
	int out = in, named = 0, status;

	buf_printf(&sym, "%.*s/kst-sym", dir, exe);
	buf_printf(&fold, "%.*s/kst-fold", dir, exe);
	if (o->elf.n > 0) {
		out = open_temp();
		named = out < 0 ? EXIT_SYSTEM
				: filter(buf_str(&sym), &o->elf, in, out);
	}
	status = named;
	if (named <= EXIT_FAILED) {
		status = filter(buf_str(&fold), NULL, out, STDOUT_FILENO);
		status = status > named ? status : named;
	}
	buf_done(&sym);
	buf_done(&fold);
	return status;
}

int
run(const struct options *o)
{
	struct buf plugin = BUF_INIT;
	char exe[PATH_MAX] = "";
	int status, out;

	if (readlink("/proc/self/exe", exe, sizeof exe - 1) < 0) {
		msg_errno("/proc/self/exe");
		return EXIT_SYSTEM;
	}
	status = plugin_words(o, exe, &plugin);
	if (status == 0 && (out = open_temp()) < 0)
		status = EXIT_SYSTEM;
	if (status == 0) {
		buf_printf(
		    &plugin, ",out=/proc/%ld/fd/%d", (long)getpid(), out);
		status = count(o, buf_str(&plugin), out);
	}
	if (status == 0)
		status = finish(o, exe, out);
	buf_done(&plugin);
	return status;
}
