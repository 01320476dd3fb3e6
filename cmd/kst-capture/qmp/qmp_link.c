/* SPDX-License-Identifier: ISC */
/*
 * Knows JSON (jansson) and QMP's forms: the greeting, `return`, `error` and
 * `event`; that STOP comes before the answer to the command that caused it.
 */
#include "qmp/qmp_link.h"
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "wire/clock.h"
#include "rsp/rsp_link.h"

/* The byte 255 ends a command that was half sent: it is in no JSON. */
#define RELEASE "\377{\"execute\":\"cont\",\"id\":\"kst-release\"}\n"

enum { LINE_MAX_LEN = 16 << 20 };

/* An event's time, in microseconds since 1970. */
static uint64_t
event_time(json_t *obj)
{
	json_t *t = json_object_get(obj, "timestamp");
	json_int_t s = json_integer_value(json_object_get(t, "seconds"));
	json_int_t us = json_integer_value(json_object_get(t, "microseconds"));

	return (uint64_t)s * 1000000 + (uint64_t)us;
}

static void
take_event(struct qmp_link *l, const char *name, json_t *obj)
{
	if (strcmp(name, "STOP") == 0) {
		l->stopped = true;
		l->stop_us = event_time(obj);
	} else if (strcmp(name, "RESUME") == 0) {
		l->stopped = false;
		l->resume_us = event_time(obj);
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
next_object(struct qmp_link *l, json_t **obj)
{
	json_t *event;
	size_t len;
	char *line;

	do
		line = lines_next(&l->in, &len);
	while (line != NULL && (len == 0 || (len == 1 && line[0] == '\r')));
	if (line == NULL)
		return 0;
	*obj = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
	if (!json_is_object(*obj)) {
		json_decref(*obj);
		return wire_fail(&l->w, "no JSON: is this a QMP socket?");
	}
	event = json_object_get(*obj, "event");
	if (json_is_string(event))
		take_event(l, json_string_value(event), *obj);
	return 1;
}

/* The same, waiting for it: 0 or -1. */
static int
take_object(struct qmp_link *l, uint64_t deadline, json_t **obj)
{
	int status;

	while ((status = next_object(l, obj)) == 0) {
		if (l->in.b.len > LINE_MAX_LEN)
			return wire_fail(&l->w, "an answer without end");
		if (wire_read(&l->w, &l->in.b, deadline, l->stopped) != 0)
			return -1;
	}
	return status > 0 ? 0 : -1;
}

int
qlink_answer(struct qmp_link *l, struct qmp_value **value)
{
	uint64_t deadline = clock_now() + l->w.timeout;
	json_t *obj, *ret, *id, *err;
	unsigned objects = 0;

	for (;;) {
		if (take_object(l, deadline, &obj) != 0)
			return -1;
		/* Events and events, and never an answer. */
		if (++objects % 64 == 0 && clock_now() >= deadline) {
			json_decref(obj);
			return wire_ended(&l->w, CONN_TIMEOUT);
		}
		id = json_object_get(obj, "id");
		if (json_is_integer(id) &&
		    json_integer_value(id) == (json_int_t)l->answered + 1)
			break;
		json_decref(obj);
	}
	l->answered++;
	ret = json_incref(json_object_get(obj, "return"));
	err = json_object_get(json_object_get(obj, "error"), "desc");
	if (ret == NULL)
		wire_fail(&l->w, "%.200s",
		    json_is_string(err) ? json_string_value(err) : "refused");
	json_decref(obj);
	*value = (struct qmp_value *)ret;
	return 0;
}

void
qlink_free(struct qmp_value *v)
{
	json_decref((json_t *)v);
}

const char *
qlink_text(const struct qmp_value *v)
{
	return json_string_value((const json_t *)v);
}

size_t
qlink_count(const struct qmp_value *v)
{
	return json_array_size((const json_t *)v);
}

const char *
qlink_member(const struct qmp_value *v, size_t i, const char *name)
{
	const json_t *obj = (const json_t *)v;

	if (json_is_array(obj))
		obj = json_array_get(obj, i);
	return json_string_value(json_object_get(obj, name));
}

bool
qlink_true(const struct qmp_value *v, const char *name)
{
	return json_is_true(json_object_get((const json_t *)v, name));
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
qlink_quote(struct buf *b, const char *s)
{
	json_t *v = json_string(s);
	char *text = v ? json_dumps(v, JSON_ENCODE_ANY) : NULL;

	buf_adds(b, text ? text : "\"\"");
	free(text);
	json_decref(v);
}

void
qlink_monitor(struct qmp_link *l, const char *line, unsigned cpu)
{
	struct buf args = BUF_INIT;

	buf_adds(&args, "{\"command-line\":");
	qlink_quote(&args, line);
	if (cpu != 0)
		buf_printf(&args, ",\"cpu-index\":%u", cpu);
	buf_addc(&args, '}');
	qlink_put(l, "human-monitor-command", buf_str(&args));
	buf_done(&args);
}

int
qlink_send(struct qmp_link *l)
{
	int status = wire_write(&l->w, l->w.out.p, l->w.out.len);

	l->w.out.len = 0;
	return status;
}

int
qlink_ask(struct qmp_link *l, const char *command, const char *args,
    struct qmp_value **value)
{
	qlink_put(l, command, args);
	if (qlink_send(l) != 0 || qlink_answer(l, value) != 0)
		return -1;
	return *value != NULL ? 0 : -1;
}

/*
 * A gdb stub has stopped the guest for us: that must be undone. Returns
 * whether it was one: since QEMU 8.1 it says nothing until it is spoken to.
 */
static bool
leave_stub(struct qmp_link *l)
{
	uint64_t deadline = clock_now() + NS_PER_S;

	return conn_write(l->w.fd, RSP_RELEASE, strlen(RSP_RELEASE), deadline,
		   CONN_PATIENT) == CONN_OK &&
	       conn_await(l->w.fd, RSP_RELEASED, deadline, NULL) == CONN_OK;
}

/*
 * Out-of-band execution ("oob") is none of our business, but with it QEMU
 * takes in the commands that follow while it executes one. Without, it reads
 * them byte by byte in between, at 4 us each: half a millisecond a command.
 */
static bool
offers_oob(json_t *greeting)
{
	json_t *list = json_object_get(greeting, "capabilities");

	for (size_t i = 0; i < json_array_size(list); i++) {
		const char *s = json_string_value(json_array_get(list, i));

		if (s != NULL && strcmp(s, "oob") == 0)
			return true;
	}
	return false;
}

static int
greet(struct qmp_link *l)
{
	uint64_t deadline = clock_now() + l->w.timeout;
	struct qmp_value *v;
	json_t *obj, *greeting;
	bool qmp, oob;

	if (take_object(l, deadline, &obj) != 0) {
		bool stub = l->in.b.len > 0 && l->in.b.p[0] == '$';
		bool mute = !l->w.closed && !l->w.hurry && l->in.b.len == 0;

		if ((stub || mute) && (leave_stub(l) || stub))
			wire_fail(&l->w, "a gdb stub, not a QMP monitor");
		else if (mute)
			wire_fail(&l->w, "connected, but nothing greets: does "
					 "another client hold this monitor?");
		return -1;
	}
	greeting = json_object_get(obj, "QMP");
	qmp = greeting != NULL;
	oob = offers_oob(greeting);
	json_decref(obj);
	if (!qmp)
		return wire_fail(&l->w, "no greeting: is this a QMP socket?");
	if (qlink_ask(l, "qmp_capabilities",
		oob ? "{\"enable\":[\"oob\"]}" : NULL, &v) != 0)
		return -1;
	qlink_free(v);
	return 0;
}

int
qlink_open(struct qmp_link *l, const struct address *addr, uint64_t timeout)
{
	memset(l, 0, sizeof *l);
	l->w.timeout = timeout;
	l->w.fd = address_connect(addr, timeout, NULL, NULL);
	if (l->w.fd < 0)
		return wire_fail(&l->w, "%s", strerror(errno));
	return greet(l);
}

static bool
resumed(const char *came)
{
	return strstr(came, "kst-release") != NULL;
}

int
qlink_guard(struct qmp_link *l)
{
	static const struct watchdog_words words = {
	    .resume = RELEASE, .resumed = resumed};

	if (watchdog_start(&l->w.dog, l->w.fd, watchdog_resume, &words, true) !=
	    0)
		return wire_fail(&l->w, "cannot start the watchdog");
	return 0;
}

int
qlink_events(struct qmp_link *l)
{
	enum conn_end end;
	json_t *obj;
	int status;

	end = conn_read(l->w.fd, &l->in.b, clock_now(), 0, CONN_PATIENT);
	if (end != CONN_OK && end != CONN_TIMEOUT)
		return wire_ended(&l->w, end);
	while ((status = next_object(l, &obj)) > 0)
		json_decref(obj);
	return status;
}

void
qlink_close(struct qmp_link *l)
{
	wire_close(&l->w);
	buf_done(&l->in.b);
}
