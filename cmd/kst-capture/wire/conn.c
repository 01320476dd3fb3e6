/* SPDX-License-Identifier: ISC */
#include "wire/conn.h"
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "wire/clock.h"

enum { READ_SIZE = 64 << 10, SPIN_NS = 80000 };

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
conn_read(int fd, struct buf *to, uint64_t deadline, uint64_t spin_ns,
    int max_signals)
{
	uint64_t spin_end = spin_ns ? clock_now() + spin_ns : 0;
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
		if (errno == EAGAIN && spin_end != 0 && clock_now() < spin_end)
			continue;
		spin_end = 0;
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

int
wire_fail(struct wire *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->why, sizeof w->why, fmt, ap);
	va_end(ap);
	return -1;
}

int
wire_end(struct wire *w, enum wire_end end, const char *why)
{
	w->end = end;
	return wire_fail(w, "%s", why);
}

int
wire_ended(struct wire *w, enum conn_end end)
{
	switch (end) {
	case CONN_OK:
		return 0;
	case CONN_TIMEOUT:
		w->end = WIRE_MUTE;
		return wire_fail(
		    w, "no answer within %.3g s", (double)w->timeout / 1e9);
	case CONN_HURRY:
		w->hurry = true;
		return wire_fail(w, "interrupted");
	default:
		w->closed = true;
		return wire_end(w, WIRE_GONE, "QEMU has closed the connection");
	}
}

int
wire_write(struct wire *w, const char *p, size_t n)
{
	return wire_ended(
	    w, conn_write(w->fd, p, n, clock_now() + w->timeout, 1));
}

int
wire_read(struct wire *w, struct buf *to, uint64_t deadline, bool spin)
{
	return wire_ended(
	    w, conn_read(w->fd, to, deadline, spin ? SPIN_NS : 0, 1));
}

int
wire_release(struct wire *w, bool answered)
{
	uint64_t limit = w->timeout < 2 * NS_PER_S ? w->timeout : 2 * NS_PER_S;

	return watchdog_leave(&w->dog, clock_now() + (answered ? limit : 0));
}

void
wire_close(struct wire *w)
{
	watchdog_off(&w->dog);
	if (w->fd >= 0)
		close(w->fd);
	w->fd = -1;
	buf_done(&w->out);
}
