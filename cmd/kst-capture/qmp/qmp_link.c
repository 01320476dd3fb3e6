/* SPDX-License-Identifier: ISC */
/*
 * QMP's forms: the greeting, `return`, `error` and
 * `event`; that STOP comes before the answer to the command that caused it.
 */
#include "qmp/qmp_link.h"
#include <errno.h>
#include <string.h>
#include "text/quote.h"
#include "wire/clock.h"
#include "rsp/rsp_release.h"

/* The byte 255 ends a command that was half sent: it is in no JSON. */
#define RELEASE "\377{\"execute\":\"cont\",\"id\":\"kst-release\"}\n"

enum { LINE_MAX_LEN = 16 << 20 };

const char *
qlink_string(struct qmp_link *l, struct json value)
{
	l->text.len = 0;
	return json_string(&value, &l->text, SIZE_MAX) ? buf_str(&l->text)
						       : NULL;
}

/* An event's time, in microseconds since 1970. */
static uint64_t
event_time(struct json obj)
{
	struct json t = json_member(obj, "timestamp");
	int64_t s = 0, us = 0;

	json_integer(json_member(t, "seconds"), &s);
	json_integer(json_member(t, "microseconds"), &us);
	return (uint64_t)s * 1000000 + (uint64_t)us;
}

static void
take_event(struct qmp_link *l, const char *name)
{
	if (strcmp(name, "STOP") == 0) {
		l->stopped = true;
		l->stop_us = event_time(l->obj);
	} else if (strcmp(name, "RESUME") == 0) {
		l->stopped = false;
		l->resume_us = event_time(l->obj);
	} else if (strcmp(name, "SHUTDOWN") == 0) {
		l->ended = true;
	} else if (strcmp(name, "RESET") == 0) {
		l->reset = true;
	}
}

/*
 * Takes the next object of those that were read; events are noted and passed on
 * as well. Returns 1, 0 when there is none, -1 when that is not JSON.
 */
static int
next_object(struct qmp_link *l)
{
	struct json all;
	const char *event;
	size_t len;
	char *line;

	do
		line = lines_next(&l->in, &len);
	while (line != NULL && (len == 0 || (len == 1 && line[0] == '\r')));
	if (line == NULL)
		return 0;
	l->obj = all = json_of_text(line, len);
	l->returned = false;
	if (json_peek(&all) != '{' || !json_skip(&all) || json_peek(&all) >= 0)
		return wire_fail(
		    &l->w, "the answer is not JSON: is this a QMP socket?");
	event = qlink_string(l, json_member(l->obj, "event"));
	if (event != NULL)
		take_event(l, event);
	return 1;
}

/* The same, waiting for it: 0 or -1. */
static int
take_object(struct qmp_link *l, uint64_t deadline)
{
	int status;

	while ((status = next_object(l)) == 0) {
		if (l->in.b.len > LINE_MAX_LEN)
			return wire_fail(&l->w, "an answer that does not end");
		if (wire_ended(
			&l->w, conn_read(l->w.fd, &l->in.b, deadline, 1)) != 0)
			return -1;
	}
	return status > 0 ? 0 : -1;
}

int
qlink_answer(struct qmp_link *l)
{
	uint64_t deadline = clock_now() + l->w.timeout;
	unsigned objects = 0;
	const char *err;
	int64_t id;

	do {
		/* Events and events, and never an answer. */
		if (objects++ % 64 == 63 && clock_now() >= deadline)
			return wire_ended(&l->w, CONN_TIMEOUT);
		if (take_object(l, deadline) != 0)
			return -1;
	} while (!json_integer(json_member(l->obj, "id"), &id) ||
		 id != (int64_t)l->answered + 1);
	l->answered++;
	l->answer = json_member(l->obj, "return");
	l->returned = json_peek(&l->answer) >= 0;
	if (!l->returned) {
		err = qlink_string(
		    l, json_member(json_member(l->obj, "error"), "desc"));
		wire_fail(&l->w, "%.200s", err ? err : "refused");
	}
	return 0;
}

void
qlink_put(struct qmp_link *l, const char *command, const char *args)
{
	buf_printf(
	    &l->w.out, "{\"execute\":\"%s\",\"id\":%u", command, ++l->sent);
	if (args != NULL)
		buf_printf(&l->w.out, ",\"arguments\":%s", args);
	buf_adds(&l->w.out, "}\n");
}

void
qlink_monitor(struct qmp_link *l, const char *line, unsigned cpu)
{
	struct buf args = BUF_INIT;

	buf_adds(&args, "{\"command-line\":");
	quote_json_to(&args, line, strlen(line));
	if (cpu != 0)
		buf_printf(&args, ",\"cpu-index\":%u", cpu);
	buf_addc(&args, '}');
	qlink_put(l, "human-monitor-command", buf_str(&args));
	buf_done(&args);
}

int
qlink_ask(struct qmp_link *l, const char *command, const char *args)
{
	qlink_put(l, command, args);
	if (wire_send(&l->w) != 0 || qlink_answer(l) != 0)
		return -1;
	return l->returned ? 0 : -1;
}

/*
 * We do not use out-of-band execution ("oob"), but with it QEMU takes in the
 * commands that follow while it executes one. Without, it reads them byte by
 * byte in between, at 4 us each: half a millisecond a command.
 */
static bool
offers_oob(struct qmp_link *l, struct json greeting)
{
	struct json list = json_member(greeting, "capabilities");
	const char *s;

	for (json_begin(&list, '['); json_item(&list, ']'); json_skip(&list)) {
		s = qlink_string(l, list);
		if (s != NULL && strcmp(s, "oob") == 0)
			return true;
	}
	return false;
}

int
qlink_greet(struct qmp_link *l)
{
	struct json greeting;

	if (take_object(l, clock_now() + l->w.timeout) != 0) {
		bool stub = l->in.b.len > 0 && l->in.b.p[0] == '$';
		bool mute = !l->w.closed && !l->w.hurry && l->in.b.len == 0;

		/*
		 * A gdb stub has stopped the guest for us: that must be undone.
		 * Since QEMU 8.1 it says nothing until it is spoken to.
		 */
		if (stub || mute)
			stub |=
			    rsp_release(l->w.fd, clock_now() + NS_PER_S) == 0;
		if (stub)
			wire_fail(&l->w, "a gdb stub, not a QMP monitor");
		else if (mute)
			wire_fail(&l->w,
			    "connected, but no QMP greeting came: is another "
			    "client using this monitor?");
		return -1;
	}
	greeting = json_member(l->obj, "QMP");
	if (json_peek(&greeting) < 0)
		return wire_fail(&l->w, "no greeting: is this a QMP socket?");
	return qlink_ask(l, "qmp_capabilities",
	    offers_oob(l, greeting) ? "{\"enable\":[\"oob\"]}" : NULL);
}

static bool
resumed(const char *came)
{
	return strstr(came, "kst-release") != NULL;
}

/*
 * QEMU has ended, or something between us. Its first words may be an answer
 * that the connection before was to get.
 */
static int
repair(const void *link)
{
	const struct qmp_link *cut = link;
	const uint64_t limit = clock_now() + cut->w.timeout;
	int status = -1;

	for (int tries = 0; tries < 5 && status < 0; tries++) {
		struct qmp_link l = {.w.timeout = cut->w.timeout};

		l.w.fd = address_connect(cut->addr, l.w.timeout, NULL, NULL);
		if (l.w.fd < 0)
			status = errno == EPERM ? -1 : 1;
		else if (qlink_greet(&l) == 0)
			status = qlink_ask(&l, "cont", NULL);
		qlink_close(&l);
		if (clock_now() >= limit)
			break;
	}
	return status;
}

int
qlink_open(struct qmp_link *l, const struct address *addr, uint64_t timeout)
{
	static const struct watchdog_words words = {
	    .resume = RELEASE, .resumed = resumed};

	memset(l, 0, sizeof *l);
	l->w.timeout = timeout;
	l->addr = addr;
	l->w.fd = address_connect(addr, timeout, NULL, NULL);
	if (l->w.fd < 0)
		return wire_fail(
		    &l->w, "%s (was QEMU started with -qmp?)", strerror(errno));
	l->w.dog = (struct watchdog){.conn = l->w.fd,
	    .duty = watchdog_resume,
	    .arg = &words,
	    .repair = repair,
	    .repair_arg = l};
	if (watchdog_start(&l->w.dog) != 0)
		return wire_fail(&l->w, "the watchdog: %s", strerror(errno));
	return 0;
}

int
qlink_events(struct qmp_link *l, bool readable)
{
	enum conn_end end = CONN_OK;
	int status;

	if (readable)
		end = conn_read(l->w.fd, &l->in.b, clock_now(), CONN_PATIENT);
	if (end != CONN_OK && end != CONN_TIMEOUT)
		return wire_ended(&l->w, end);
	while ((status = next_object(l)) > 0)
		;
	return status;
}

void
qlink_close(struct qmp_link *l)
{
	wire_close(&l->w);
	buf_done(&l->in.b);
	buf_done(&l->text);
}
