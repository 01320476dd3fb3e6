/* SPDX-License-Identifier: ISC */
#include "live/pass.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int
pass_bytes(int fd, const void *p, uint64_t n)
{
	static char b[1 << 16];
	size_t part;

	for (ssize_t done; n > 0; n -= (uint64_t)done) {
		part = n < sizeof b ? n : sizeof b;
		memcpy(b, p, part);
		done = write(fd, b, part);
		if (done <= 0)
			return -1;
		p = (const char *)p + done;
	}
	return 0;
}

int64_t
pass_take(int fd, void *p, size_t n)
{
	size_t taken = 0;
	ssize_t part = 1;

	while (taken < n && part != 0) {
		part = read(fd, (char *)p + taken, n - taken);
		if (part < 0 && errno != EINTR)
			return -1;
		taken += part > 0 ? (size_t)part : 0;
	}
	return (int64_t)taken;
}

int
pass_rest(int pipe, int file)
{
	static char b[1 << 16];
	int64_t n;

	while ((n = pass_take(pipe, b, sizeof b)) > 0)
		if (pass_bytes(file, b, (uint64_t)n) != 0)
			return -1;
	return (int)n;
}
