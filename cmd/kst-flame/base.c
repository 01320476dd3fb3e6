/* SPDX-License-Identifier: ISC */
/*
 * --base: the command runs twice, as it is and with another kernel in the place
 * of its own, and the two profiles are compared.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"
#include "io/job.h"
#include "kimage/kimage.h"
#include "flame.h"
#include "qemu.h"

enum { LOOK_MS = 20 };
enum side { OLD, NEW, SIDES };

struct base {
	const struct options *o;
	char *const *argv;
	const char *kernel[SIDES];
	const char *profile[SIDES]; /* files beside the output */
	const char *difference;	    /* a temporary one */
	struct words texts;
	size_t named; /* how often the command names its kernel */
};

/* Whether both are one file. */
static bool
is_same(const char *path, const char *other)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A word of the command, or its parts `KEY=FILE,...`, with the other kernel. */
static char *
replace(struct base *b, const char *word)
{
	char *to = words_addf(&b->texts, "%s", ""), *part;

	for (size_t n; *word; word += n) {
		n = strcspn(word, "=,");
		part = words_addf(&b->texts, "%.*s", (int)n, word);
		if (n > 0 && is_same(part, b->kernel[NEW])) {
			part = (char *)(uintptr_t)b->kernel[OLD];
			b->named++;
		}
		n += word[n] != 0;
		to = words_addf(&b->texts, "%s%s%s", to, part,
		    word[n - 1] == '='	 ? "="
		    : word[n - 1] == ',' ? ","
					 : "");
	}
	return to;
}

/* The words of kst-flame for one of the runs. */
static void
run_words(struct base *b, enum side side, struct words *w)
{
	const struct options *o = b->o;

	words_add(w, "kst-flame");
	words_addf(w, "--output=%s", b->profile[side]);
	words_addf(w, "--elf=%s", b->kernel[side]);
	for (size_t i = 1; i < o->elf.n; i++)
		words_addf(w, "--elf=%s", o->elf.use[i].arg);
	for (enum step s = 0; s < STEPS; s++) {
		struct words step = {0};

		options_words(&step, o, s);
		for (size_t i = 1; i < step.n && s != STEP_SVG; i++)
			words_add(w, step.v[i]);
		words_done(&step);
	}
	if (o->exact)
		words_add(w, "--exact");
	if (o->waiting)
		words_add(w, "--waiting");
	if (o->force)
		words_add(w, "--force");
	if (o->from)
		words_addf(w, "--from=%s", o->from);
	if (o->until)
		words_addf(w, "--until=%s", o->until);
	if (o->serial)
		words_addf(w, "--serial=%s", o->serial);
	if (o->qemu_args)
		words_addf(w, "--qemu-args=%s", o->qemu_args);
	words_add(w, "--");
	for (char *const *a = b->argv; *a; a++)
		words_add(w, side == NEW ? *a : replace(b, *a));
}

/* Until it has ended; a wish that this ends is handed on, as job_wait() does
 * not. */
static int
wait_for(pid_t pid)
{
	int status = EXIT_SYSTEM << 8;
	bool told = false;

	while (pid > 0 && !job_ended(pid, &status)) {
		if (!told && job_asked() > 0)
			told = kill(pid, SIGTERM) == 0;
		poll(NULL, 0, LOOK_MS);
	}
	return status;
}

/* Runs one of kst's commands, into a file or the standard output. */
static int
run_step(struct words *w, const char *to, bool terminal)
{
	struct job j = {.argv = w->v, .terminal = terminal};
	int status = EXIT_SYSTEM;

	if (to == NULL)
		j.out = dup(STDOUT_FILENO);
	else
		j.out =
		    open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (j.out < 0)
		msg_errno("%s", to ? to : "standard output");
	else
		status = job_status(w->v[0], wait_for(job_start(&j)));
	if (j.out >= 0)
		close(j.out);
	words_done(w);
	*w = (struct words){0};
	return status;
}

/* The verdict and, for a picture, the difference. */
static int
compare(struct base *b)
{
	const struct options *o = b->o;
	struct words w = {0};
	int status;

	words_add(&w, "kst-diff");
	words_addf(&w, "--elf=%s,%s", b->kernel[OLD], b->kernel[NEW]);
	words_add(&w, b->profile[OLD]);
	words_add(&w, b->profile[NEW]);
	status = run_step(&w, NULL, false);
	words_add(&w, "kst-diff");
	words_add(&w, "--folded");
	if (!o->exact)
		words_add(&w, "--normalize");
	words_add(&w, b->profile[OLD]);
	words_add(&w, b->profile[NEW]);
	if (status == 0)
		status = run_step(&w, b->difference, false);
	options_words(&w, o, STEP_SVG);
	words_addf(&w, "--subject=%s after %s", port_basename(b->kernel[NEW]),
	    port_basename(b->kernel[OLD]));
	words_addf(&w, "--output=%s", o->output);
	if (o->force)
		words_add(&w, "--force");
	words_add(&w, b->difference);
	if (status == 0)
		status = run_step(&w, NULL, false);
	if (status == 0)
		msg("wrote %s", msg_str(o->output));
	words_done(&w);
	return status;
}

static int
work(void *arg)
{
	static const char *const names[] = {"before", "after"};
	struct base *b = arg;
	struct words w = {0};
	int status = 0;

	for (int side = NEW; side >= OLD && status == 0; side--) {
		msg("%s: %s", names[side], msg_str(b->kernel[side]));
		setenv("KST_KERNEL", b->kernel[side], 1);
		run_words(b, side, &w);
		status = run_step(&w, NULL, true);
	}
	if (status == 0)
		status = job_asked() ? EXIT_FAILED : compare(b);
	unlink(b->difference);
	job_end_all();
	return status;
}

/* The only word after the first one that is a kernel's file; or NULL. */
static const char *
only_kernel(char *const *argv)
{
	const char *found = NULL;

	for (char *const *a = argv + 1; *a; a++) {
		const int fd = open(*a, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
		const bool is = fd >= 0 && kimage_knows(fd);

		if (fd >= 0)
			close(fd);
		if (is && found)
			return NULL;
		if (is)
			found = *a;
	}
	return found;
}

/* The command's own kernel. */
static const char *
find_kernel(struct base *b)
{
	const char *at, *path;

	if (b->o->elf.n == 0) {
		path =
		    qemu_kernel(&(struct qemu_line){b->argv, NULL, &b->texts});
		path = path ? path : getenv("KST_KERNEL");
		return path ? path : only_kernel(b->argv);
	}
	path = b->o->elf.use[0].arg;
	at = access(path, F_OK) != 0 ? strrchr(path, '@') : NULL;
	return at ? words_addf(&b->texts, "%.*s", (int)(at - path), path)
		  : path;
}

static void
check(struct base *b)
{
	size_t n = strlen(b->o->output);

	if (b->argv == NULL)
		opt_wrong("--base needs a command after --");
	if (n < 5 || strcmp(b->o->output + n - 4, ".svg") != 0)
		opt_wrong("--base draws a difference: --output must end in "
			  ".svg");
	b->kernel[NEW] = find_kernel(b);
	if (b->kernel[NEW] == NULL)
		opt_wrong("--base: which is the command's kernel? give it "
			  "with -e");
	for (char *const *a = b->argv; *a; a++)
		replace(b, *a);
	if (b->named == 0 && getenv("KST_KERNEL") == NULL)
		opt_wrong("--base: neither a word of the command nor "
			  "$KST_KERNEL is the kernel %s, so another one "
			  "cannot take its place",
		    msg_str(b->kernel[NEW]));
}

int
base_run(const struct options *o, char *const *argv)
{
	struct base b = {.o = o, .argv = argv, .kernel[OLD] = o->base};
	int status = EXIT_FAILED;
	size_t n;

	check(&b);
	n = strlen(o->output) - 4;
	b.profile[OLD] =
	    words_addf(&b.texts, "%.*s.before.folded", (int)n, o->output);
	b.profile[NEW] =
	    words_addf(&b.texts, "%.*s.after.folded", (int)n, o->output);
	b.difference =
	    words_addf(&b.texts, "%s.kst-%ld", o->output, (long)getpid());
	if (access(o->base, R_OK) != 0) {
		msg_errno("%s", msg_str(o->base));
	} else {
		status = job_own(work, &b);
		status = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SYSTEM;
	}
	words_done(&b.texts);
	return status;
}
