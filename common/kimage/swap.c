/* SPDX-License-Identifier: ISC */
#include "kimage/swap.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "io/job.h"
#include "kimage/kimage.h"
#include "opt/opt.h"

enum { LOOK_MS = 20 };

/* Whether both are one file. */
static bool
is_same(const char *path, const char *other)
{
	struct stat a, b;

	return stat(path, &a) == 0 && stat(other, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* A word of the command, or its parts `KEY=FILE,...`, with this kernel. */
static char *
replace(struct swap *s, const char *word, const char *kernel)
{
	char *to = words_addf(&s->texts, "%s", ""), *part;

	for (size_t n; *word; word += n) {
		n = strcspn(word, "=,");
		part = words_addf(&s->texts, "%.*s", (int)n, word);
		if (n > 0 && is_same(part, s->own)) {
			part = (char *)(uintptr_t)kernel;
			s->named++;
		}
		n += word[n] != 0;
		to = words_addf(&s->texts, "%s%s%s", to, part,
		    word[n - 1] == '='	 ? "="
		    : word[n - 1] == ',' ? ","
					 : "");
	}
	return to;
}

static bool
is_kernel(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool is = fd >= 0 && kimage_knows(fd);

	if (fd >= 0)
		close(fd);
	return is;
}

/* The only word after the first one that is a kernel's file; or NULL. */
static const char *
only_kernel(char *const *argv)
{
	const char *found = NULL;

	for (char *const *a = argv + 1; *a; a++) {
		if (!is_kernel(*a))
			continue;
		if (found)
			return NULL;
		found = *a;
	}
	return found;
}

/* What -kernel names, if that is a kernel's file. */
static const char *
named_kernel(char *const *argv)
{
	for (char *const *a = argv; a[0] && a[1]; a++)
		if (opt_word("-kernel --kernel", *a, strlen(*a)) >= 0)
			return is_kernel(a[1]) ? a[1] : NULL;
	return NULL;
}

void
swap_find(struct swap *s, const char *elf)
{
	const char *at =
	    elf && access(elf, F_OK) != 0 ? strrchr(elf, '@') : NULL;

	s->own = at ? words_addf(&s->texts, "%.*s", (int)(at - elf), elf) : elf;
	if (s->own == NULL)
		s->own = named_kernel(s->argv);
	if (s->own == NULL)
		s->own = getenv("KST_KERNEL");
	if (s->own == NULL)
		s->own = only_kernel(s->argv);
	if (s->own == NULL)
		opt_wrong("--base: which is the command's kernel? give it "
			  "with -e");
	for (char *const *a = s->argv; *a; a++)
		replace(s, *a, s->other);
	if (s->named == 0 && getenv("KST_KERNEL") == NULL)
		opt_wrong("--base: neither a word of the command nor "
			  "$KST_KERNEL is the kernel %s, so another one "
			  "cannot take its place",
		    msg_str(s->own));
}

void
swap_done(struct swap *s)
{
	words_done(&s->texts);
}

void
swap_words(struct swap *s, const char *kernel, struct words *w)
{
	setenv("KST_KERNEL", kernel, 1);
	for (char *const *a = s->argv; *a; a++)
		words_add(w, kernel == s->own ? *a : replace(s, *a, kernel));
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

int
swap_run(struct words *w, const char *to, bool terminal)
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

int
swap_both(const char *const kernel[SWAP_SIDES],
    void (*words)(void *arg, int side, struct words *w), void *arg)
{
	static const char *const names[] = {"before", "after"};
	int status = 0;

	for (int side = SWAP_NEW; side >= SWAP_OLD && status == 0; side--) {
		struct words w = {0};

		msg("%s: %s", names[side], msg_str(kernel[side]));
		words(arg, side, &w);
		status = swap_run(&w, NULL, true);
		if (status == 0 && job_asked())
			status = EXIT_FAILED;
	}
	/* QEMU may end within the last line that the guest has sent. */
	if (status == 0 && write(STDOUT_FILENO, "\n", 1) != 1)
		status = EXIT_SYSTEM;
	return status;
}
