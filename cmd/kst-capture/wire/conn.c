/* SPDX-License-Identifier: ISC */
/*
 * Knows how to move bytes through a socket that does not block.
 */
#include "wire/conn.h"
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include "wire/clock.h"

enum { READ_SIZE = 64 << 10 };

static enum conn_end
waited(int status)
{
	return status > 0 ? CONN_OK : status < 0 ? CONN_HURRY : CONN_TIMEOUT;
}

enum conn_end
conn_write(int fd, const char *p, size_t n, uint64_t deadline, int max_signals)
{
	while (n > 0) {
		ssize_t w = send(fd, p, n, MSG_NOSIGNAL);
		enum conn_end end;

		if (w >= 0) {
			p += w;
			n -= (size_t)w;
			continue;
		}
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN && errno != EWOULDBLOCK)
			return CONN_CLOSED;
		end = waited(wait_room(fd, deadline, max_signals));
		if (end != CONN_OK)
			return end;
	}
	return CONN_OK;
}

enum conn_end
conn_read(int fd, struct buf *to, uint64_t deadline, uint64_t spin_ns,
    int max_signals)
{
	uint64_t spin_end = spin_ns ? clock_now() + spin_ns : 0;

	if (to->cap - to->len < READ_SIZE)
		buf_room(to, READ_SIZE);
	for (;;) {
		ssize_t r = recv(fd, to->p + to->len, READ_SIZE, 0);
		enum conn_end end;

		if (r > 0) {
			to->len += (size_t)r;
			return CONN_OK;
		}
		if (r == 0)
			return CONN_CLOSED;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN && errno != EWOULDBLOCK)
			return CONN_CLOSED;
		if (spin_end != 0 && clock_now() < spin_end)
			continue;
		spin_end = 0;
		end = waited(wait_fd(fd, deadline, max_signals));
		if (end != CONN_OK)
			return end;
	}
}

char *
lines_next(struct lines *in, size_t *len)
{
	char *line = in->b.p + in->at, *nl = NULL;

	if (in->b.len > in->seen)
		nl = memchr(in->b.p + in->seen, '\n', in->b.len - in->seen);
	if (nl == NULL) {
		in->b.len -= in->at;
		if (in->at > 0)
			memmove(in->b.p, line, in->b.len);
		in->at = 0;
		in->seen = in->b.len;
		return NULL;
	}
	*len = (size_t)(nl - line);
	in->at = in->seen = in->at + *len + 1;
	return line;
}

enum conn_end
conn_await(int fd, const char *text, uint64_t deadline, bool *any)
{
	struct buf in = BUF_INIT;
	enum conn_end end;
	size_t n = strlen(text);

	do {
		/* What could be its beginning stays. */
		size_t keep = in.len < n ? in.len : n - 1;

		if (keep > 0)
			memmove(in.p, in.p + in.len - keep, keep);
		in.len = keep;
		end = clock_now() < deadline
			  ? conn_read(fd, &in, deadline, 0, CONN_PATIENT)
			  : CONN_TIMEOUT;
		if (any != NULL && end == CONN_OK)
			*any = true;
	} while (end == CONN_OK && memmem(in.p, in.len, text, n) == NULL);
	buf_done(&in);
	return end;
}
