/* SPDX-License-Identifier: ISC */
/*
 * A connection over which a protocol is spoken, with its watchdog. A call that
 * fails returns -1 and says why.
 */
#ifndef WIRE_H
#define WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "wire/clock.h"
#include "wire/watchdog.h"

/* Why a conversation cannot go on; LOST: as `why` says. */
enum wire_end { WIRE_LOST, WIRE_MUTE, WIRE_GONE, WIRE_STOPPED, WIRE_REBOOTED };

struct wire {
	int fd;		  /* -1: not connected */
	uint64_t timeout; /* of any wait, ns */
	struct watchdog dog;
	struct buf out; /* the write in the making */
	bool hurry;	/* a second signal ended a wait */
	bool closed;	/* QEMU has closed the connection */
	enum wire_end end;
	char why[256];
};

/* Says why; returns -1. */
int wire_fail(struct wire *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
int wire_end(struct wire *w, enum wire_end end, const char *why);

/* The same for how a wait has ended; 0 for CONN_OK. */
int wire_ended(struct wire *w, enum conn_end end);

/*
 * Writes a question. -1 also when the answer to an earlier one is late: it
 * would be taken for this one's.
 */
int wire_write(struct wire *w, const char *p, size_t n);

/* The same with w->out, which is empty then. */
int wire_send(struct wire *w);

/*
 * Has the watchdog set the guest running, whatever was half sent. -1: QEMU does
 * not answer, soon or, if it never did, at once; that is done when it does.
 */
int wire_release(struct wire *w, bool answered);

/* Closes; the guest stays as it is. */
void wire_close(struct wire *w);

#endif
