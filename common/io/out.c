/* SPDX-License-Identifier: ISC */
#include "io/out.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/msg.h"
#include "io/whole.h"
#include "base/xalloc.h"

enum { OUT_SIZE = 1 << 16 };

struct out out = {.fd = STDOUT_FILENO};

/* The file of out_open() until it is closed, and the process that owns it. */
static struct whole file = {.fd = -1, .keeper = -1};
static struct out_file asked;
static pid_t owner;

/* At exit, by msg_die() or by a signal; children do not drop the file. */
static void
drop_file(void)
{
	char *temp;

	if (file.path == NULL || owner != getpid())
		return;
	if (!asked.leave) {
		whole_drop(&file);
	} else if ((temp = whole_leave(&file)) != NULL) {
		msg("the output so far is in %s", msg_str(temp));
		free(temp);
	}
}

static void
on_signal(int n)
{
	if (!asked.leave && owner == getpid())
		whole_unlink(&file);
	signal(n, SIG_DFL);
	raise(n);
}

static void
watch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
	struct sigaction old, drop = {.sa_handler = on_signal};

	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(signals[i], &drop, NULL);
}

int
out_open(const struct out_file *f)
{
	const char *why;

	if (f->path == NULL || strcmp(f->path, "-") == 0)
		return EXIT_OK;
	why = whole_refuses(
	    f->path, f->force ? NULL : f->mark, f->inputs, (size_t)f->n_inputs);
	if (why) {
		msg("%s: %s", msg_str(f->path), why);
		return msg_status(EXIT_USAGE);
	}
	if (whole_open(&file, f->path) != 0 ||
	    whole_keep(&file, f->leave) != 0) {
		msg_errno("%s", msg_str(f->path));
		whole_drop(&file);
		return EXIT_SYSTEM;
	}
	asked = *f;
	owner = getpid();
	out.fd = file.fd;
	watch_signals();
	if (atexit(drop_file) != 0)
		msg_die(EXIT_SYSTEM, "out of memory");
	return EXIT_OK;
}

static void
write_all(const char *p, size_t n)
{
	while (n && !out.err) {
		ssize_t k = write(out.fd, p, n);

		if (k >= 0) {
			p += k;
			n -= (size_t)k;
		} else if (errno == EAGAIN) {
			struct pollfd pfd = {out.fd, POLLOUT, 0};

			poll(&pfd, 1, -1);
		} else if (errno != EINTR) {
			out.err = errno;
		}
	}
}

bool
out_colour(void)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (no == NULL || *no == 0) &&
	       (term == NULL || strcmp(term, "dumb") != 0);
}

int
out_flush(void)
{
	write_all(out.p, out.len);
	out.len = 0;
	out.flushed++;
	return out.err ? -1 : 0;
}

void
out_room(size_t n)
{
	out_flush();
	if (n < OUT_SIZE)
		n = OUT_SIZE;
	if (out.cap >= n)
		return;
	out.p = xreallocn(out.p, n, 1);
	out.cap = n;
}

void
out_printf(const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if (out.cap - out.len < (size_t)n + 1)
		out_room((size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(out.p + out.len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	out.len += (size_t)n;
}

int
out_close(void)
{
	out_flush();
	if (out.err == 0 &&
	    (file.fd < 0 ? close(out.fd) : whole_close(&file, asked.sync)) &&
	    errno != EINTR)
		out.err = errno;
	if (!out.err)
		return 0;
	errno = out.err;
	msg_errno("cannot write the output");
	drop_file();
	return -1;
}

int
out_end(int status)
{
	bool is_empty;

	status = msg_status(status);
	out_flush();
	if (file.path == NULL || status == EXIT_OK)
		return out_close() == 0 ? status : EXIT_SYSTEM;
	is_empty = lseek(file.fd, 0, SEEK_CUR) == 0;
	if (is_empty)
		asked.leave = false;
	if (file.replaces && !asked.partial)
		msg("%s was not replaced", msg_str(file.path));
	else if (status != EXIT_SYSTEM && !is_empty)
		return out_close() == 0 ? status : EXIT_SYSTEM;
	drop_file();
	return status;
}
