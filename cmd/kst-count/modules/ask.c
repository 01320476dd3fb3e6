/* SPDX-License-Identifier: ISC */
#include "modules/ask.h"

#include <errno.h>
#include <unistd.h>

bool
ask_send(int fd, const struct ask *a)
{
	ssize_t n;

	do
		n = write(fd, a, sizeof *a);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof *a;
}

bool
ask_take(int fd, struct ask *a)
{
	size_t done = 0;
	ssize_t n = 1;

	while (done < sizeof *a && (n > 0 || (n < 0 && errno == EINTR))) {
		n = read(fd, (char *)a + done, sizeof *a - done);
		done += n > 0 ? (size_t)n : 0;
	}
	return done == sizeof *a && a->n <= sizeof a->bytes;
}
