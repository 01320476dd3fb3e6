/* SPDX-License-Identifier: ISC */
#include "swap/swap_run.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"
#include "io/job.h"

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
	const int status = job_status(w->v[0], wait_for(job_start(&j)));

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

int
swap_both(struct swap *s, const char *end,
    void (*words)(void *arg, int side, struct words *w), void *arg)
{
	static const char *const names[] = {"before", "after"};
	int status = 0;

	if (end)
		msg("no end was given, such as %s: each run lasts until its "
		    "guest ends, or until you end QEMU (Ctrl-C; with "
		    "-nographic Ctrl-A x)",
		    end);
	for (int side = SWAP_NEW; side >= SWAP_OLD && status == 0; side--) {
		const char *kernel = swap_kernel(s, side);
		struct words w = {0};

		msg("%s: %s", names[side],
		    msg_str(kernel ? kernel : "QEMU's -kernel"));
		words(arg, side, &w);
		status = start(&w, STDERR_FILENO, 0, true);
		if (job_asked() > 0) {
			msg("interrupted: nothing is compared");
			return status ? status : EXIT_FAILED;
		}
		if (kernel == NULL && status == 0)
			status = swap_learn(s);
	}
	/* QEMU may end within the last line that the guest has sent. */
	if (status == 0 && write(STDERR_FILENO, "\n", 1) != 1)
		status = EXIT_SYSTEM;
	return status;
}
