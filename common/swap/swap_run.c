/* SPDX-License-Identifier: ISC */
#include "swap/swap_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "io/job.h"
#include "opt/opt.h"
#include "opt/qemupath.h"

#define DIGITS "0123456789"
#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

enum { LOOK_MS = 20 };

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

/* `keep` as in a job. */
static int
start(struct words *w, int out, int keep, bool terminal)
{
	struct job j = {
	    .argv = w->v, .out = out, .keep = keep, .terminal = terminal};
	int status = wait_for(job_start(&j));

	if (status == 0 || !qemupath_refused())
		status = job_status(w->v[0], status);
	words_done(w);
	*w = (struct words){0};
	return status;
}

int
swap_run(struct words *w, const char *to)
{
	const int out =
	    to ? open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)
	       : STDOUT_FILENO;
	int status = EXIT_SYSTEM;

	if (out < 0) {
		msg_errno("%s", to);
		words_done(w);
		*w = (struct words){0};
	} else {
		status = start(w, out, 0, false);
	}
	if (to && out >= 0)
		close(out);
	return status;
}

/* A line of --found-fd: a key, a blank and a value. */
static void
take(struct swap_found *f, const char *key, const char *value)
{
	if (strcmp(key, "slower") == 0)
		f->slower = strtoul(value, NULL, 10);
	else if (strcmp(key, "faster") == 0)
		f->faster = strtoul(value, NULL, 10);
	else if (strcmp(key, "before") == 0)
		f->weight[SWAP_OLD] = strtod(value, NULL);
	else if (strcmp(key, "after") == 0)
		f->weight[SWAP_NEW] = strtod(value, NULL);
	else if (strcmp(key, "dearer") == 0 &&
		 strspn(value, "_:" DIGITS LETTERS) == strlen(value))
		snprintf(f->dearer, sizeof f->dearer, "%s", value);
}

int
swap_diff(struct words *w, struct swap_found *found)
{
	const int fd = port_temp_file();
	char b[1024], *rest = b, *line, *key;
	ssize_t n = 0;
	int status;

	*found = (struct swap_found){0};
	if (fd >= 0)
		words_addf(w, "--found-fd=%d", fd);
	status = start(w, STDOUT_FILENO, fd > 0 ? fd : 0, false);
	if (fd >= 0) {
		n = pread(fd, b, sizeof b - 1, 0);
		close(fd);
	}
	b[n > 0 ? n : 0] = 0;
	while ((line = strsep(&rest, "\n")) != NULL && *line) {
		key = strsep(&line, " ");
		take(found, key, line ? line : "");
	}
	return status;
}

/* How one of the runs is made alone, up to its command, from its words. */
static void
say_run(const struct swap *s, int side, const struct words *w)
{
	const char *kernel = swap_kernel(s, side);
	struct buf b = BUF_INIT;
	size_t i = 1, elfs = 0;

	buf_printf(&b, "    kst %s -e ", w->v[0] + strlen("kst-"));
	words_quote(kernel, &b);
	for (; i < w->n && strcmp(w->v[i], "--") != 0; i++) {
		const bool elf = strncmp(w->v[i], "--elf=", 6) == 0;

		if ((elf && elfs++ == 0) || strcmp(w->v[i], "--in-base") == 0 ||
		    strncmp(w->v[i], "--output=", 9) == 0 ||
		    strncmp(w->v[i], "--also=", 7) == 0)
			continue;
		buf_addc(&b, ' ');
		words_quote(w->v[i], &b);
	}
	buf_printf(
	    &b, " -o %s.folded --", side == SWAP_OLD ? "before" : "after");
	if (side == SWAP_OLD)
		buf_adds(&b, " COMMAND");
	for (i++; side == SWAP_NEW && i < w->n; i++) {
		buf_addc(&b, ' ');
		words_quote(w->v[i], &b);
	}
	msg("%s", buf_str(&b));
	buf_done(&b);
}

/*
 * No file that QEMU is started with is the kernel: says so, and what can be
 * said without a run, and how to compare. `words` as in swap_both().
 */
static int
say_image(struct swap *s, void (*words)(void *arg, int side, struct words *w),
    void *arg)
{
	struct buf files = BUF_INIT;
	struct words w = {0};

	if (s->own == NULL) {
		msg("--base: QEMU has no -kernel: its kernel seems to be in an "
		    "image, such as a disk. Give its file with -e, and with "
		    "--base-command what starts the guest with %s",
		    msg_str(s->other));
		return EXIT_USAGE;
	}
	msg("--base: no file that QEMU is started with is %s: it seems to be "
	    "in an image, such as a disk, so %s cannot take its place. These "
	    "functions have other code:",
	    msg_str(s->own), msg_str(s->other));
	words_add(&w, "kst-sym");
	words_add(&w, "--compare");
	words_addf(&w, "--elf=%s", s->other);
	words_addf(&w, "--elf=%s", s->own);
	swap_run(&w, NULL);
	msg("to compare runs, add --base-command COMMAND, which starts the "
	    "guest with the image of %s; or one by one:",
	    msg_str(s->other));
	for (int side = SWAP_OLD; side <= SWAP_NEW; side++) {
		words(arg, side, &w);
		say_run(s, side, &w);
		words_done(&w);
		w = (struct words){0};
	}
	words_quote(words_addf(&w, "%s,%s", s->other, s->own), &files);
	msg("    kst diff --elf %s before.folded after.folded",
	    buf_str(&files));
	words_done(&w);
	buf_done(&files);
	return EXIT_USAGE;
}

int
swap_both(struct swap *s, const char *end,
    void (*words)(void *arg, int side, struct words *w), void *arg)
{
	static const char *const names[] = {"before", "after"};
	int status = 0;

	if (s->in_image)
		return say_image(s, words, arg);
	if (end)
		msg("no end was given, such as %s: each run lasts until its "
		    "guest ends, or until you end QEMU (Ctrl-C; with "
		    "-nographic Ctrl-A x)",
		    end);
	for (int side = SWAP_NEW; side >= SWAP_OLD && status == 0; side--) {
		const char *kernel = swap_kernel(s, side);
		struct words w = {0};

		if (s->with && side == SWAP_OLD)
			msg("%s: %s, by %s", names[side], msg_str(kernel),
			    msg_str(s->with));
		else
			msg("%s: %s", names[side],
			    msg_str(kernel ? kernel : "QEMU's -kernel"));
		words(arg, side, &w);
		status = start(&w, STDERR_FILENO, 0, true);
		if (job_asked() > 0) {
			msg("interrupted: nothing is compared");
			return status ? status : EXIT_FAILED;
		}
		if (status != 0 && side == SWAP_NEW && qemupath_refused())
			return say_image(s, words, arg);
		if (kernel == NULL && status == 0)
			status = swap_learn(s);
	}
	/* QEMU may end within the last line that the guest has sent. */
	if (status == 0 && write(STDERR_FILENO, "\n", 1) != 1)
		status = EXIT_SYSTEM;
	return status;
}
