/* SPDX-License-Identifier: ISC */
#include "wire/wire.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "wire/clock.h"

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
	if (w->closed || w->end == WIRE_MUTE)
		return -1;
	return wire_ended(
	    w, conn_write(w->fd, p, n, clock_now() + w->timeout, 1));
}

int
wire_send(struct wire *w)
{
	int status = wire_write(w, w->out.p, w->out.len);

	w->out.len = 0;
	return status;
}

int
wire_release(struct wire *w, bool answered, bool repair)
{
	uint64_t limit = w->timeout < 2 * NS_PER_S ? w->timeout : 2 * NS_PER_S;

	if (w->closed && repair)
		limit = w->timeout;
	return watchdog_leave(
	    &w->dog, repair, clock_now() + (answered ? limit : 0));
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
