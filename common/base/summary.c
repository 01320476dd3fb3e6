/* SPDX-License-Identifier: ISC */
#include "base/summary.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

/* COUNTS + WHAT + the names of the keys stay below PIPE_BUF. */
enum { COUNTS = 1500, WHAT = 1000 };

static struct {
	int fd; /* 0: not asked for */
	const char *command;
	size_t len;
	char counts[COUNTS];
	uint64_t faults, line;
	char what[WHAT]; /* as it stands between the quotes */
} summary;

/* The reader sees that a line is missing. */
void
summary_end(int status)
{
	char text[PIPE_BUF];
	int n;

	if (summary.fd == 0)
		return;
	n = snprintf(text, sizeof text,
	    "command=%s status=%d%.*s faults=%" PRIu64 " line=%" PRIu64
	    " what=\"%s\"\n",
	    summary.command, status, (int)summary.len, summary.counts,
	    summary.faults, summary.line, summary.what);
	summary.len = 0;
	summary.faults = summary.line = 0;
	summary.what[0] = 0;
	if (write(summary.fd, text, (size_t)n) != n)
		summary.fd = 0;
}

void
summary_to(int fd, const char *command)
{
	summary.fd = fd;
	summary.command = command;
}

void
summary_die(int status)
{
	summary_end(status);
	summary.fd = 0;
}

void
summary_word(const char *key, const char *word)
{
	size_t room = COUNTS - summary.len;
	int len =
	    snprintf(summary.counts + summary.len, room, " %s=%s", key, word);

	if (len > 0 && (size_t)len < room)
		summary.len += (size_t)len;
}

void
summary_count(const char *key, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof text, "%" PRIu64, n);
	summary_word(key, text);
}

static void
set_what(const char *text)
{
	size_t n = 0;

	for (; *text && *text != '\n' && n + 3 < WHAT; text++) {
		if (*text == '"' || *text == '\\')
			summary.what[n++] = '\\';
		summary.what[n++] = (unsigned char)*text < ' ' ? '?' : *text;
	}
	summary.what[n] = 0;
}

void
summary_message(const char *text)
{
	if (summary.fd && summary.what[0] == 0)
		set_what(text);
}

void
summary_fault(uint64_t line, const char *text)
{
	if (summary.fd == 0 || summary.faults++ > 0)
		return;
	summary.line = line;
	set_what(text);
}
