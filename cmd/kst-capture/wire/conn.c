/* SPDX-License-Identifier: ISC */
#include "wire/conn.h"
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include "wire/clock.h"

enum { READ_SIZE = 64 << 10 };

/* After a call has failed, waits if it would have blocked. CONN_OK: again. */
static enum conn_end
await(int fd, short events, uint64_t deadline, int max_signals)
{
	int status;

	if (errno == EINTR)
		return CONN_OK;
	if (errno != EAGAIN && errno != EWOULDBLOCK)
		return CONN_CLOSED;
	status = wait_fd(fd, events, deadline, max_signals);
	return status > 0 ? CONN_OK : status < 0 ? CONN_HURRY : CONN_TIMEOUT;
}

enum conn_end
conn_write(int fd, const char *p, size_t n, uint64_t deadline, int max_signals)
{
	enum conn_end end = CONN_OK;

	while (n > 0 && end == CONN_OK) {
		ssize_t w = send(fd, p, n, MSG_NOSIGNAL);

		if (w < 0) {
			end = await(fd, POLLOUT, deadline, max_signals);
			continue;
		}
		p += w;
		n -= (size_t)w;
	}
	return end;
}

enum conn_end
conn_read(int fd, struct buf *to, uint64_t deadline, int max_signals)
{
	enum conn_end end = CONN_OK;

	if (to->cap - to->len < READ_SIZE)
		buf_room(to, READ_SIZE);
	while (end == CONN_OK) {
		ssize_t r = recv(fd, to->p + to->len, READ_SIZE, 0);

		if (r > 0) {
			to->len += (size_t)r;
			return CONN_OK;
		}
		if (r == 0)
			return CONN_CLOSED;
		end = await(fd, POLLIN, deadline, max_signals);
	}
	return end;
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
