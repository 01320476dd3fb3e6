/* SPDX-License-Identifier: ISC */
#include "base/out.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"

enum { OUT_SIZE = 1 << 16 };

struct out out = {.fd = STDOUT_FILENO};

int
out_open(const char *path)
{
	int fd;

	if (strcmp(path, "-") == 0)
		return 0;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return -1;
	out.fd = fd;
	return 0;
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

int
out_flush(void)
{
	write_all(out.p, out.len);
	out.len = 0;
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
	if (close(out.fd) != 0 && !out.err && errno != EINTR)
		out.err = errno;
	if (!out.err)
		return 0;
	errno = out.err;
	msg_errno("cannot write the output");
	return -1;
}
