/* SPDX-License-Identifier: ISC */
/*
 * Knows QEMU's side of the conversation: it stops the guest when a client
 * connects and at any byte that comes while the guest runs, counts a `$` as
 * the acknowledgement of the packet that it sent before, and leaves a stopped
 * guest stopped when the client goes. Where commands of the monitor print
 * (`O` and digits) there is no acknowledgement between the packets.
 */
#include "rsp/rsp_link.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "wire/clock.h"
#include "rsp/rsp_state.h"
#include "base/xalloc.h"

enum { DOCUMENT_MAX = 256 << 10, SPIN_NS = 80000 };

/* Before the connection: QEMU stops the guest as soon as it takes it. */
static int
guard(void *arg, int fd)
{
	static const struct watchdog_words words = {
	    .resume = RSP_RELEASE,
	    .answer = RSP_RELEASED,
	    .question = "#00+" RSP_STATE_QUESTION,
	    .end = RSP_RELEASED,
	    .had_run = rsp_state_ran,
	};
	struct rsp_link *l = arg;

	watchdog_off(&l->dog);
	return watchdog_start(&l->dog, fd, &words, false);
}

int
link_open(struct rsp_link *l, const struct address *addr, uint64_t timeout,
    bool paused)
{
	memset(l, 0, sizeof *l);
	l->timeout = timeout;
	l->fd = address_connect(addr, timeout, paused ? NULL : guard, l);
	if (l->fd >= 0)
		return 0;
	watchdog_off(&l->dog);
	return -1;
}

int
link_fail(struct rsp_link *l, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(l->why, sizeof l->why, fmt, ap);
	va_end(ap);
	return -1;
}

static int
ended(struct rsp_link *l, enum conn_end end)
{
	switch (end) {
	case CONN_OK:
		return 0;
	case CONN_TIMEOUT:
		return link_fail(
		    l, "no answer within %.3g s", (double)l->timeout / 1e9);
	case CONN_HURRY:
		l->hurry = true;
		return link_fail(l, "interrupted");
	default:
		l->closed = true;
		return link_fail(l, "QEMU has closed the connection");
	}
}

void
link_putf(struct rsp_link *l, const char *fmt, ...)
{
	char text[128];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < sizeof text)
		rsp_put(&l->out, text, (size_t)n);
}

int
link_send(struct rsp_link *l)
{
	enum conn_end end = conn_write(
	    l->fd, l->out.p, l->out.len, clock_now() + l->timeout, 1);

	l->out.len = 0;
	return ended(l, end);
}

/* Until an item of the kind; the others are passed over. */
static int
receive(struct rsp_link *l, enum rsp_kind want, uint64_t deadline, bool spin)
{
	unsigned reads = 0;

	for (;;) {
		enum rsp_kind k = rspin_next(&l->in);

		if (k != RSP_MORE)
			l->answered = true;
		if (k == want)
			return 0;
		if (k == RSP_BAD || k == RSP_NAK)
			return link_fail(
			    l, "a damaged packet: is this a gdb stub?");
		if (k == RSP_PACKET && l->in.len && l->in.data[0] == 'T')
			l->stop_seen = true;
		if (k != RSP_MORE)
			continue;
		/* A stub that says more and more, and never that. */
		if (++reads % 64 == 0 && clock_now() >= deadline)
			return ended(l, CONN_TIMEOUT);
		if (ended(l, conn_read(l->fd, &l->in.raw, deadline,
				 spin ? SPIN_NS : 0, 1)) != 0)
			return -1;
	}
}

int
link_packet(struct rsp_link *l, uint64_t deadline, bool spin)
{
	return receive(l, RSP_PACKET, deadline, spin);
}

int
link_ack(struct rsp_link *l, uint64_t deadline, bool spin)
{
	return receive(l, RSP_ACK, deadline, spin);
}

/* What comes before the command's own `+` is no answer to it. */
static int
take_answer(struct rsp_link *l, uint64_t deadline)
{
	if (link_ack(l, deadline, false) != 0)
		return -1;
	return link_packet(l, deadline, false);
}

int
link_ask(struct rsp_link *l, const char *command)
{
	uint64_t deadline = clock_now() + l->timeout;

	l->out.len = 0;
	rsp_puts(&l->out, command);
	return link_send(l) != 0 ? -1 : take_answer(l, deadline);
}

/*
 * The report of the stop, if any, is the first that comes. The watchdog is
 * told before it is taken out of the socket: it would look for it there.
 */
static void
look_for_stop(struct rsp_link *l, uint64_t deadline)
{
	char text[64];
	ssize_t n;

	if (wait_fd(l->fd, deadline, 1) <= 0)
		return; /* what follows finds out, and says so */
	n = recv(l->fd, text, sizeof text, MSG_PEEK);
	if (n > 0 &&
	    memmem(text, (size_t)n, RSP_STOPPED, strlen(RSP_STOPPED)) != NULL)
		watchdog_arm(&l->dog);
}

int
link_greet(struct rsp_link *l, const char *command)
{
	uint64_t deadline = clock_now() + l->timeout;

	l->out.len = 0;
	rsp_puts(&l->out, command);
	if (link_send(l) != 0)
		return -1;
	look_for_stop(l, deadline);
	return take_answer(l, deadline);
}

void
link_arm(struct rsp_link *l)
{
	watchdog_arm(&l->dog);
}

void
link_unguard(struct rsp_link *l)
{
	watchdog_off(&l->dog);
}

/* Appends the text of an answer `O` and its hexadecimal digits. */
static void
take_printed(const struct rsp_link *l, struct buf *text)
{
	size_t n = l->in.len / 2;
	uint8_t *bytes = xmalloc(n + 1);

	if (text->len + n <= DOCUMENT_MAX &&
	    rsp_unhex(bytes, l->in.data + 1, n) == 0)
		buf_add(text, (char *)bytes, n);
	free(bytes);
}

int
link_monitor(struct rsp_link *l, const char *command, struct buf *text)
{
	uint64_t deadline = clock_now() + l->timeout;
	struct buf ask = BUF_INIT;
	int status;

	buf_adds(&ask, "qRcmd,");
	for (const char *p = command; *p; p++)
		buf_printf(&ask, "%02x", (unsigned char)*p);
	status = link_ask(l, buf_str(&ask));
	buf_done(&ask);
	while (status == 0 && l->in.len > 1 && l->in.len % 2 == 1 &&
	       l->in.data[0] == 'O') {
		take_printed(l, text);
		status = link_packet(l, deadline, false);
	}
	return status;
}

char *
link_document(struct rsp_link *l, const char *name)
{
	struct buf doc = BUF_INIT, command = BUF_INIT;
	char *text = NULL;
	bool more = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRS"
				 "TUVWXYZ0123456789-_.") == strlen(name);

	while (more && doc.len < DOCUMENT_MAX) {
		command.len = 0;
		buf_printf(
		    &command, "qXfer:features:read:%s:%zx,7fb", name, doc.len);
		if (link_ask(l, buf_str(&command)) != 0 || l->in.len == 0)
			break;
		more = l->in.data[0] == 'm' && l->in.len > 1;
		if (!more && l->in.data[0] != 'l')
			break;
		buf_add(&doc, l->in.data + 1, l->in.len - 1);
		if (!more)
			text = xmemdup0(doc.p ? doc.p : "", doc.len);
	}
	buf_done(&doc);
	buf_done(&command);
	return text;
}

int
link_idle(struct rsp_link *l)
{
	bool seen = l->stop_seen;
	uint64_t now = clock_now();

	l->stop_seen = false;
	for (;;) {
		enum rsp_kind k = rspin_next(&l->in);
		enum conn_end end;

		if (k == RSP_PACKET && l->in.len && l->in.data[0] == 'T')
			seen = true;
		if (k != RSP_MORE)
			continue;
		if (seen)
			return 1;
		end = conn_read(l->fd, &l->in.raw, now, 0, CONN_PATIENT);
		if (end == CONN_TIMEOUT)
			return 0;
		if (end != CONN_OK)
			return ended(l, end);
	}
}

int
link_release(struct rsp_link *l)
{
	uint64_t limit = l->timeout < 2 * NS_PER_S ? l->timeout : 2 * NS_PER_S;

	if (l->answered)
		return watchdog_leave(&l->dog, clock_now() + limit);
	/* It cannot tell, and finds the bytes when it takes the connection. */
	conn_write(l->fd, RSP_RELEASE, strlen(RSP_RELEASE), clock_now() + limit,
	    CONN_PATIENT);
	return -1;
}

void
link_close(struct rsp_link *l)
{
	watchdog_off(&l->dog);
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
	rspin_done(&l->in);
	buf_done(&l->out);
}
