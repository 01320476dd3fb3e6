/* SPDX-License-Identifier: ISC */
/* The guest's log, as QEMU writes it to a file. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "live/live.h"

static struct {
	FILE *f;
	char line[1024]; /* its end */
	size_t len;
} serial;

bool
live_log_has(const char *path, const char *text)
{
	bool found = false;
	int fd, c;

	fd = serial.f ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0)
		serial.f = fdopen(fd, "r");
	if (serial.f == NULL)
		return false;
	do {
		c = getc(serial.f);
		if (c == '\n' || c == EOF ||
		    serial.len + 1 == sizeof serial.line) {
			serial.line[serial.len] = 0;
			found = strstr(serial.line, text);
		}
		if (c == '\n' || found || serial.len + 1 == sizeof serial.line)
			serial.len = 0;
		else if (c > 0)
			serial.line[serial.len++] = (char)c;
	} while (c != EOF && !found);
	clearerr(serial.f); /* an unfinished line may be a prompt */
	return found;
}
