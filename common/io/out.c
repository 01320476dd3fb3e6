/* SPDX-License-Identifier: ISC */
#include "io/out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "io/keeper.h"

enum { OUT_SIZE = 1 << 16 };

struct out out = {.fd = STDOUT_FILENO};

/* The file of out_open(), if another process opens and names it. */
static struct out_file asked;
static bool kept, replaces, only_one;
static pid_t owner;

/* At exit, by msg_die() or by a signal; children do not drop the file. */
static void
end_keeper(void)
{
	if (owner == getpid())
		keeper_end();
}

static void
on_signal(int n)
{
	end_keeper();
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
out_begin(bool (*nth)(void *arg, uint64_t k, struct out_file *f), void *arg)
{
	if (keeper_start(nth, arg) != 0) {
		msg_errno("cannot start the process that opens output files");
		return EXIT_SYSTEM;
	}
	owner = getpid();
	watch_signals();
	if (atexit(end_keeper) != 0)
		msg_die(EXIT_SYSTEM, "out of memory");
	return EXIT_OK;
}

int
out_open_nth(uint64_t k, const struct out_file *f)
{
	int status, fd = keeper_open(k, &replaces, &status);

	asked = *f;
	kept = fd >= 0;
	if (!kept)
		return status;
	out.fd = fd;
	out.err = 0;
	return EXIT_OK;
}

/* Of the only file. */
static bool
only(void *arg, uint64_t k, struct out_file *f)
{
	const struct out_file *asked_for = arg;

	*f = *asked_for;
	return k == 0;
}

int
out_open(const struct out_file *f)
{
	struct out_file one = *f;
	struct stat st;
	int status;

	if (f->path == NULL || strcmp(f->path, "-") == 0)
		return EXIT_OK;
	if (stat(f->path, &st) == 0 && !S_ISREG(st.st_mode)) {
		out.fd = open(f->path, O_WRONLY | O_CLOEXEC);
		if (out.fd >= 0)
			return EXIT_OK;
		msg_errno("%s", msg_str(f->path));
		return EXIT_SYSTEM;
	}
	only_one = true;
	status = out_begin(only, &one);
	return status == EXIT_OK ? out_open_nth(0, f) : status;
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

	if (out.cap == 0)
		out_room(1);
	va_start(ap, fmt);
	n = vsnprintf(out.p + out.len, out.cap - out.len, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	if ((size_t)n >= out.cap - out.len) {
		out_room((size_t)n + 1);
		va_start(ap, fmt);
		vsnprintf(out.p + out.len, (size_t)n + 1, fmt, ap);
		va_end(ap);
	}
	out.len += (size_t)n;
}

int
out_close(void)
{
	out_flush();
	if (close(out.fd) != 0 && errno != EINTR && out.err == 0)
		out.err = errno;
	if (kept && out.err == 0 && keeper_name(only_one) != 0)
		out.err = errno;
	kept = false;
	if (!out.err)
		return 0;
	errno = out.err;
	msg_errno("cannot write the output");
	return -1;
}

int
out_end(int status)
{
	bool is_empty;

	status = msg_status(status);
	out_flush();
	if (!kept || status == EXIT_OK)
		return out_close() == 0 ? status : EXIT_SYSTEM;
	is_empty = lseek(out.fd, 0, SEEK_CUR) == 0;
	if (replaces && !asked.partial)
		msg("%s was not replaced", msg_str(asked.path));
	else if (status != EXIT_SYSTEM && !is_empty)
		return out_close() == 0 ? status : EXIT_SYSTEM;
	close(out.fd);
	kept = false;
	return status;
}
