/* SPDX-License-Identifier: ISC */
/*
 * Packets and acknowledgements. QEMU stops the guest when a client connects and
 * at any byte that comes while the guest runs, takes a `$` for the
 * acknowledgement of the packet that it sent before, and leaves a stopped guest
 * stopped when the client goes. Where commands of the monitor print
 * (`O` and digits) there is no acknowledgement between the packets.
 */
#include "rsp/rsp_link.h"
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "rsp/rsppkt.h"
#include "rsp/rsp_release.h"
#include "wire/clock.h"
#include "base/xalloc.h"

enum { DOCUMENT_MAX = 256 << 10, DOCUMENT_PARTS = 4096 };

int
link_open(struct rsp_link *l, const struct address *addr, uint64_t timeout,
    bool paused)
{
	memset(l, 0, sizeof *l);
	l->w.timeout = timeout;
	l->addr = addr;
	l->w.fd = address_connect(addr, timeout, paused ? NULL : rsp_guard, l);
	if (l->w.fd >= 0)
		return 0;
	watchdog_off(&l->w.dog);
	return -1;
}

int
link_ended(struct rsp_link *l)
{
	return wire_end(&l->w, WIRE_GONE,
	    l->qemu ? "the guest was shut down" : "the program has ended");
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
		rsp_put(&l->w.out, text);
}

/* The next packet of l->w.out. */
static int
send_next(struct rsp_link *l)
{
	const char *p = l->w.out.p + l->sent;
	const char *sum = memchr(p, '#', l->w.out.len - l->sent);
	size_t n = sum ? (size_t)(sum - p) + 3 : l->w.out.len - l->sent;
	int status = wire_write(&l->w, p, n);

	l->sent += n;
	if (l->sent == l->w.out.len)
		l->w.out.len = 0;
	return status;
}

int
link_send(struct rsp_link *l)
{
	l->sent = 0;
	return l->qemu || l->no_acks ? wire_send(&l->w) : send_next(l);
}

/* Until an item of the kind; the others are passed over. */
static int
receive(struct rsp_link *l, enum rsp_kind want, uint64_t deadline)
{
	unsigned reads = 0;

	for (;;) {
		enum rsp_kind k = rspin_next(&l->in);

		if (k == RSP_PACKET)
			l->answered = true;
		if (k == RSP_PACKET && !l->qemu && !l->no_acks &&
		    wire_write(&l->w, "+", 1) != 0)
			return -1;
		if (k == want)
			return 0;
		l->refused |= k == RSP_NAK && l->stop_seen;
		if (k == RSP_BAD || k == RSP_NAK)
			return wire_fail(
			    &l->w, "a damaged packet: is this a gdb stub?");
		if (k == RSP_PACKET && l->in.len && l->in.data[0] == 'T')
			l->stop_seen = true;
		if (k != RSP_MORE)
			continue;
		/* A stub that says more and more, and never that. */
		if (++reads % 64 == 0 && clock_now() >= deadline)
			return wire_ended(&l->w, CONN_TIMEOUT);
		if (wire_ended(&l->w,
			conn_read(l->w.fd, &l->in.raw, deadline, 1)) != 0)
			return -1;
	}
}

int
link_packet(struct rsp_link *l, uint64_t deadline)
{
	if (receive(l, RSP_PACKET, deadline) != 0)
		return -1;
	return l->w.out.len > 0 ? send_next(l) : 0;
}

int
link_ack(struct rsp_link *l, uint64_t deadline)
{
	return l->no_acks ? 0 : receive(l, RSP_ACK, deadline);
}

/* Whether a packet reports that the program has stopped, or its end. */
static bool
reports(const struct rsp_link *l, const char *kinds)
{
	return l->in.len > 0 && strchr(kinds, l->in.data[0]) != NULL;
}

bool
link_is_end(const struct rsp_link *l)
{
	return reports(l, "WX");
}

static int
await_stop(struct rsp_link *l, uint64_t deadline)
{
	do
		if (receive(l, RSP_PACKET, deadline) != 0)
			return -1;
	while (!reports(l, "TSWX"));
	return link_is_end(l) ? link_ended(l) : 0;
}

int
link_interrupt(struct rsp_link *l)
{
	uint64_t begin = clock_now(), deadline = begin + l->w.timeout;
	uint64_t patience = begin + l->w.timeout / 4;

	l->w.end = WIRE_LOST; /* answers before the stop's are passed over */
	if (l->pid > 0)
		kill(l->pid, SIGINT);
	else if (wire_write(&l->w, "\003", 1) != 0)
		return -1;
	if (await_stop(l, patience) == 0)
		return 0;
	if (l->w.hurry || l->w.closed || clock_now() < patience)
		return -1;
	/* Some know only this. */
	l->w.end = WIRE_LOST;
	link_putf(l, "vCtrlC");
	if (link_send(l) == 0 && await_stop(l, deadline) == 0)
		return 0;
	if (!l->w.hurry && !l->w.closed && clock_now() >= deadline)
		wire_fail(
		    &l->w, "the program did not stop when it was asked to");
	return -1;
}

/* What comes before the command's own `+` does not answer it. */
static int
take_answer(struct rsp_link *l, uint64_t deadline)
{
	if (link_ack(l, deadline) != 0)
		return -1;
	return link_packet(l, deadline);
}

int
link_ask(struct rsp_link *l, const char *command)
{
	uint64_t deadline = clock_now() + l->w.timeout;

	l->w.out.len = 0;
	rsp_put(&l->w.out, command);
	return link_send(l) != 0 ? -1 : take_answer(l, deadline);
}

/*
 * The report of the stop, if any, is the first that comes, or a refusal. The
 * watchdog is told before it is taken out of the socket: it would look for it
 * there.
 */
static void
look_for_stop(struct rsp_link *l, uint64_t deadline)
{
	char text[64];
	ssize_t n;

	if (wait_fd(l->w.fd, POLLIN, deadline, 1) <= 0)
		return; /* what follows finds out, and says so */
	n = recv(l->w.fd, text, sizeof text, MSG_PEEK);
	l->refused = n > 0 && text[0] == '-';
	if (n > 0 &&
	    memmem(text, (size_t)n, RSP_STOPPED, strlen(RSP_STOPPED)) != NULL)
		watchdog_arm(&l->w.dog);
}

/* QEMU takes it for the rest of what the last client has sent by half. */
int
link_greet(struct rsp_link *l, const char *command)
{
	uint64_t deadline = clock_now() + l->w.timeout;
	int status, tries = 2;

	do {
		l->w.out.len = 0;
		l->refused = false;
		rsp_put(&l->w.out, command);
		if (link_send(l) != 0)
			return -1;
		look_for_stop(l, deadline);
		status = take_answer(l, deadline);
	} while (status != 0 && l->refused && --tries > 0);
	return status;
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
	uint64_t deadline = clock_now() + l->w.timeout;
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
		status = link_packet(l, deadline);
	}
	return status;
}

char *
link_document(struct rsp_link *l, const char *kind, const char *name)
{
	struct buf doc = BUF_INIT, command = BUF_INIT;
	char *text = NULL;
	bool more = true;

	for (int i = 0; more && i < DOCUMENT_PARTS; i++) {
		command.len = 0;
		buf_printf(
		    &command, "qXfer:%s:read:%s:%zx,7fb", kind, name, doc.len);
		if (link_ask(l, buf_str(&command)) != 0 || l->in.len == 0)
			break;
		more = l->in.data[0] == 'm' && l->in.len > 1;
		if ((!more && l->in.data[0] != 'l') || doc.len > DOCUMENT_MAX)
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
link_idle(struct rsp_link *l, bool readable)
{
	bool seen = l->stop_seen;
	uint64_t now = clock_now();

	l->stop_seen = false;
	for (;;) {
		enum rsp_kind k = rspin_next(&l->in);
		enum conn_end end;

		if (k == RSP_PACKET && reports(l, "TS"))
			seen = true;
		if (k == RSP_PACKET && link_is_end(l))
			return link_ended(l);
		if (k != RSP_MORE)
			continue;
		if (seen || !readable)
			return seen;
		end = conn_read(l->w.fd, &l->in.raw, now, CONN_PATIENT);
		if (end == CONN_TIMEOUT)
			return 0;
		if (end != CONN_OK)
			return wire_ended(&l->w, end);
	}
}

void
link_close(struct rsp_link *l)
{
	wire_close(&l->w);
	rspin_done(&l->in);
}
