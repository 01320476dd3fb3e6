/* SPDX-License-Identifier: ISC */
/* The only file that writes messages to stderr. */
#include "msg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "in.h"
#include "utf8.h"

const char *msg_prog = "kst";

void
msg_init(const char *argv0)
{
	const char *slash = argv0 ? strrchr(argv0, '/') : NULL;

	if (argv0 && *argv0)
		msg_prog = slash && slash[1] ? slash + 1 : argv0;
}

/* One write for the whole line, so that messages of a pipe do not mix. */
__attribute__((format(printf, 2, 0))) static void
say(const char *where, const char *fmt, va_list ap, int err)
{
	char text[1024], line[1400];

	vsnprintf(text, sizeof text, fmt, ap);
	if (err)
		snprintf(line, sizeof line, "%s: %s%s: %s\n", msg_prog, where,
		    text, strerror(err));
	else
		snprintf(
		    line, sizeof line, "%s: %s%s\n", msg_prog, where, text);
	fflush(stderr);
	fputs(line, stderr);
	fflush(stderr);
}

void
msg(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap, 0);
	va_end(ap);
}

void
msg_errno(const char *fmt, ...)
{
	int err = errno;
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap, err);
	va_end(ap);
}

void
msg_die(int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say("", fmt, ap, 0);
	va_end(ap);
	exit(status);
}

void
msg_count(uint64_t n, const char *what)
{
	if (n)
		msg("%llu %s", (unsigned long long)n, what);
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

		if (k == 0 || (unsigned char)p[i] < 0x20 || p[i] == 0x7f ||
		    utf8_is_c1(p + i, k)) {
			out[n++] = '?';
			i++;
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

void
msg_fault(struct fault *f, const struct in *in, const char *fmt, ...)
{
	char where[400];
	const char *name = in_name(in);
	va_list ap;

	if (f->n++ >= FAULT_SAY)
		return;
	snprintf(where, sizeof where, "%s:%llu: ", msg_text(name, strlen(name)),
	    (unsigned long long)in_line(in));
	va_start(ap, fmt);
	say(where, fmt, ap, 0);
	va_end(ap);
}

uint64_t
msg_fault_sum(const struct fault *f, size_t n)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++) {
		total += f[i].n;
		if (f[i].n > FAULT_SAY)
			msg("%s: %llu times in all", f[i].what,
			    (unsigned long long)f[i].n);
	}
	return total;
}
