/* SPDX-License-Identifier: ISC */
/*
 * The conversation with QEMU's machine protocol monitor (QMP): commands and
 * answers are JSON objects, a line each; events come in between.
 */
#ifndef QMP_LINK_H
#define QMP_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "guest/vcpu.h"
#include "text/json.h"
#include "wire/address.h"
#include "wire/wire.h"

struct qmp_link {
	struct wire w;
	const struct address *addr;
	struct lines in;
	struct json obj;	 /* the last one that has come, */
	struct json answer;	 /* and what it returns until more is read, */
	bool returned;		 /* if it does */
	struct buf text;	 /* of the last string that was asked for */
	unsigned sent, answered; /* numbers of commands */
	bool stopped;		 /* the guest is stopped, the events say */
	bool ended;		 /* it was shut down */
	bool reset;		 /* it was rebooted */
	uint64_t stop_us, resume_us; /* QEMU's times of both */
};

/*
 * Connects, with a watchdog that is not armed yet. Nothing has been read.
 * Returns -1 with the reason in l->w.why.
 */
int qlink_open(
    struct qmp_link *l, const struct address *addr, uint64_t timeout);

/* Ends the greeting. Returns -1 with the reason in l->w.why. */
int qlink_greet(struct qmp_link *l);

/*
 * Adds a command to the next write, wire_send(). The arguments are JSON text,
 * NULL for none; answers come in order.
 */
void qlink_put(struct qmp_link *l, const char *command, const char *args);

/* Adds a human monitor's command, for the CPU of that number. */
void qlink_monitor(struct qmp_link *l, const char *line, unsigned cpu);

/*
 * Reads the answer to the first command that has none yet. If l->returned is
 * false the command has failed: l->w.why is then what QEMU says.
 */
int qlink_answer(struct qmp_link *l);

/* One command and its answer; -1 also when it has failed. */
int qlink_ask(struct qmp_link *l, const char *command, const char *args);

/*
 * The text of a string, such as l->answer or a member of it, valid until the
 * next call. NULL if it is not a string.
 */
const char *qlink_string(struct qmp_link *l, struct json value);

/*
 * Takes the events that were read before or, if the socket is readable, are
 * there. Returns -1 if the connection is closed.
 */
int qlink_events(struct qmp_link *l, bool readable);

void qlink_close(struct qmp_link *l);

/* What QEMU's human monitor prints: registers and memory, as text. */

#endif
