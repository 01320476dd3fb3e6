/* SPDX-License-Identifier: ISC */
#include "run.h"

#include <errno.h>
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
#include "base/num.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"

/*
 * After QEMU: `sh -c steps COMMAND TEMP -e ELF ...` names addresses by the
 * commands beside this one, folds, and removes the folder TEMP.
 */
static const char steps[] =
    "d=${0%/*} t=$1 s=0; shift\n"
    "trap 'rm -rf \"$t\"' EXIT\n"
    "if [ $# -gt 0 ]; then\n"
    "\t\"$d/kst-sym\" \"$@\" -- \"$t/count\" >\"$t/named\" || s=$?\n"
    "\t[ $s -le 1 ] || exit $s\n"
    "\tmv \"$t/named\" \"$t/count\" || exit 4\n"
    "fi\n"
    "\"$d/kst-fold\" \"$t/count\" || s=$?\n"
    "exit $s\n";

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

/* Starts QEMU, which ends with this command. Returns -1 after a message. */
static pid_t
start(const struct words *w)
{
	pid_t parent = getpid(), pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		signal(SIGINT, SIG_DFL);
		if (getppid() == parent)
			execvp(w->v[0], (char *const *)w->v);
		msg_errno("%s", msg_str(w->v[0]));
		_exit(errno == ENOENT ? 127 : 126);
	}
	if (pid < 0)
		msg_errno("fork");
	return pid;
}

/* Runs QEMU with the plugin, which makes `out`. Returns an exit status. */
static int
count(const struct options *o, const char *plugin, const char *out)
{
	struct words w = {0};
	int status = 0;
	pid_t pid;

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
	pid = start(&w);
	free(w.v);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0)
		return EXIT_SYSTEM;
	if (access(out, R_OK) != 0) {
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

int
run(const struct options *o)
{
	const char *base = getenv("TMPDIR");
	struct buf temp = BUF_INIT, out = BUF_INIT, plugin = BUF_INIT;
	char exe[PATH_MAX] = "";
	struct words w = {0};
	int status;

	buf_printf(&temp, "%s/kst-count.XXXXXX", base && *base ? base : "/tmp");
	if (readlink("/proc/self/exe", exe, sizeof exe - 1) < 0) {
		msg_errno("/proc/self/exe");
		return EXIT_SYSTEM;
	}
	status = plugin_words(o, exe, &plugin);
	if (status != 0)
		return status;
	if (mkdtemp((char *)(uintptr_t)buf_str(&temp)) == NULL) {
		msg_errno("%s", msg_str(buf_str(&temp)));
		return EXIT_SYSTEM;
	}
	buf_printf(&out, "%s/count", buf_str(&temp));
	add_text(&plugin, "out", buf_str(&out));
	/* Ctrl-C ends QEMU, and what was counted is shown. */
	signal(SIGINT, SIG_IGN);
	status = count(o, buf_str(&plugin), buf_str(&out));
	if (status != 0) {
		buf_adds(&out, ".part");
		unlink(buf_str(&out));
		rmdir(buf_str(&temp));
		return status;
	}
	signal(SIGINT, SIG_DFL);
	add(&w, "sh");
	add(&w, "-c");
	add(&w, steps);
	add(&w, exe);
	add(&w, buf_str(&temp));
	for (size_t i = 0; i < o->elf.n; i++) {
		add(&w, "-e");
		add(&w, o->elf.use[i].arg);
	}
	execvp("sh", (char *const *)w.v);
	msg_errno("sh");
	return EXIT_SYSTEM;
}
