/* SPDX-License-Identifier: ISC */
#include "base/msg.h"

#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/summary.h"
#include "base/utf8.h"

const char *msg_prog = "kst";

static bool system_failed;

/*
 * Keeps later files from becoming descriptor 0, 1 or 2 when the command was
 * started without these. Reading and writing there fails, as it should.
 */
static void
open_standard(void)
{
	static const int flags[] = {O_WRONLY, O_RDONLY, O_WRONLY};

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) < 0)
			exit(EXIT_SYSTEM);
}

void
msg_init(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	open_standard();
	if (argv0 && *argv0)
		msg_prog = slash && slash[1] ? slash + 1 : argv0;
}

/* One write a line, so that messages of a pipeline do not mix. */
__attribute__((format(printf, 1, 0))) static void
say(const char *fmt, va_list ap, int err)
{
	char text[1400], line[1800];

	vsnprintf(text, sizeof text, fmt, ap);
	if (err)
		snprintf(line, sizeof line, "%s: %s: %s\n", msg_prog, text,
		    strerror(err));
	else
		snprintf(line, sizeof line, "%s: %s\n", msg_prog, text);
	summary_message(line + strlen(msg_prog) + 2);
	fflush(stderr);
	fputs(line, stderr);
	fflush(stderr);
}

void
msg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, 0);
	va_end(ap);
}

bool
msg_is_system(int err)
{
	static const int errs[] = {EIO, ENOMEM, ENFILE, EMFILE, ENOSPC, EDQUOT,
	    EFBIG, ENOBUFS, ESTALE, EUCLEAN, EAGAIN};

	for (size_t i = 0; i < sizeof errs / sizeof *errs; i++)
		if (err == errs[i])
			return true;
	return false;
}

void
msg_system(void)
{
	system_failed = true;
}

int
msg_status(int status)
{
	return system_failed ? EXIT_SYSTEM : status;
}

void
msg_errno(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	system_failed |= msg_is_system(err);
	va_start(ap, fmt);
	say(fmt, ap, err);
	va_end(ap);
}

void
msg_die(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(fmt, ap, 0);
	va_end(ap);
	status = msg_status(status);
	summary_die(status);
	exit(status);
}

void
msg_count(uint64_t n, const char *what)
{
	if (n)
		msg("%" PRIu64 " %s", n, what);
}

const char *
msg_text(const char *p, size_t len)
{
	enum { MAX = 200 };
	static char copies[4][MAX + 8];
	static unsigned turn;
	char *out = copies[turn++ % 4];
	size_t i = 0, n = 0;

	while (i < len && n + 4 <= MAX) {
		size_t k = utf8_len(p + i, len - i);

		if (!utf8_is_shown(p + i, k)) {
			out[n++] = '?';
			i += k ? k : 1;
			continue;
		}
		memcpy(out + n, p + i, k);
		n += k;
		i += k;
	}
	if (i < len) {
		memcpy(out + n, "...", 3);
		n += 3;
	}
	out[n] = 0;
	return out;
}

const char *
msg_str(const char *s)
{
	return msg_text(s, strlen(s));
}
