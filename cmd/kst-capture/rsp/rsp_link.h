/* SPDX-License-Identifier: ISC */
/*
 * The conversation with a stub: commands and answers, one by one or many in one
 * write; the packets that carry them; and the watchdog that ends the
 * conversation well.
 */
#ifndef RSP_LINK_H
#define RSP_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "rsp/rsppkt.h"
#include "wire/address.h"
#include "base/buf.h"
#include "wire/wire.h"

struct rsp_link {
	struct wire w; /* w.out holds packets */
	const struct address *addr;
	struct rspin in;
	bool stop_seen; /* a stop was reported on its own account */
	bool answered;	/* a packet has come */
	bool refused;	/* a packet was damaged when it arrived */
	/* What answers there, since rsp_meet(). */
	bool qemu;     /* with monitor commands and CPUs as threads; it takes a
			  `$` for an acknowledgement */
	bool program;  /* it holds a program, all of it in user mode */
	bool names;    /* it has a document of threads with names */
	bool vcont;    /* it is resumed by `vCont;c`, else by `c` */
	size_t packet; /* bytes of memory in one answer */
	/*
	 * gdbserver stops a program by a signal to its process group. One that
	 * does not lead its group, and runs on this machine, can only be
	 * signalled by us; 0: it need not, or cannot.
	 */
	pid_t pid;
	const char *kind; /* "no QEMU: gdbserver"; NULL: it is QEMU */
	bool no_acks;	  /* QStartNoAckMode holds */
	size_t sent;	  /* bytes of w.out, when packets go one by one */
};

/*
 * Connects. Nothing is sent yet, but QEMU stops the guest when it accepts the
 * connection. If this process dies from now on, the guest is resumed, unless it
 * was stopped before or is known to have been `paused`. Returns -1 with errno.
 */
int link_open(struct rsp_link *l, const struct address *addr, uint64_t timeout,
    bool paused);

/*
 * Asks the first question; returns as link_ask(). Then l->stop_seen says
 * whether the stub has reported the stop; see rsp_state().
 */
int link_greet(struct rsp_link *l, const char *command);

/* Whether the packet that came says that what the stub held has ended. */
bool link_is_end(const struct rsp_link *l);

/* Puts into l->w.why that what the stub held has ended; returns -1. */
int link_ended(struct rsp_link *l);

/* Adds a command to l->w.out. */
void link_putf(struct rsp_link *l, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Sends what is in l->w.out: at once or, if the stub wants each answer
 * acknowledged, a packet each time an answer has been read.
 */
int link_send(struct rsp_link *l);

/*
 * Reads the next packet into l->in.data and l->in.len (acknowledgements are
 * skipped), or the next acknowledgement.
 */
int link_packet(struct rsp_link *l, uint64_t deadline);
int link_ack(struct rsp_link *l, uint64_t deadline);

/*
 * Stops what a stub other than QEMU's runs, and waits until it has stopped. -1:
 * it does not stop, or has ended.
 */
int link_interrupt(struct rsp_link *l);

/* Sends one command; the answer is as of link_packet(). */
int link_ask(struct rsp_link *l, const char *command);

/*
 * Sends a command to QEMU's monitor, through the stub. What it prints is
 * appended to *text, which the caller frees; nothing if the stub has no
 * monitor. Returns -1 if the conversation has failed.
 */
int link_monitor(struct rsp_link *l, const char *command, struct buf *text);

/*
 * A document by qXfer, such as `target.xml` of `features`, which the caller
 * frees. NULL if it does not exist.
 */
char *link_document(struct rsp_link *l, const char *kind, const char *name);

/*
 * What came while nothing was asked, as was read before or, if the socket is
 * readable, is there. 0: nothing. 1: somebody else has stopped
 * the guest. -1: the connection is closed, or the program has ended.
 */
int link_idle(struct rsp_link *l, bool readable);

/* Closes the connection; the guest stays as it is. */
void link_close(struct rsp_link *l);

/* The signal by which QEMU reports that it has stopped a running guest. */
#define RSP_STOPPED "$T02"

#endif
