/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: samples a guest through QEMU's gdb stub, or what another
 * stub holds, with as few exchanges as the gdb remote protocol allows.
 */
#ifndef RSP_H
#define RSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"
#include "guest/sampler.h"
#include "rsp/layout.h"
#include "rsp/rsp_link.h"
#include "rsp/rsp_who.h"
#include "unwind/unwind.h"
#include "wire/address.h"

struct rsp_options {
	const struct address *addr;
	uint64_t timeout; /* of any wait, in nanoseconds */
	size_t window;	  /* bytes of each stack; 0: as many as it needs */
	bool paused;	  /* the guest is known to be, and shall stay so */
	bool start;	  /* if it is paused, it is to be set running */
};

struct rsp {
	struct rsp_link l; /* says why the last call failed */
	struct layout layout;
	struct sampler s;   /* its CPUs are those of the last sample */
	struct rsp_who who; /* kind is NULL: QEMU's stub */
	bool running;
	struct buf list; /* the threads, as the stub listed them */
	struct buf stop; /* the write that stops and asks for registers */
};

/*
 * Connects and reads what the target is. The guest is stopped from here on
 * until rsp_start(). Returns NULL after a reason in *why (freed by the
 * caller); the guest then runs again if it did before.
 */
struct rsp *rsp_open(const struct rsp_options *opt, char **why);

/* Sets the guest running, unless it was paused before. */
int rsp_start(struct rsp *r);

/*
 * Takes a sample of all CPUs with the given unwinder. Returns -1 with a reason
 * when it, and any more, cannot be taken.
 */
int rsp_sample(struct rsp *r, struct unwinder *u);

/*
 * Waits until the deadline, or the first signal, and notices meanwhile when
 * the guest is stopped by somebody else or goes away: -1 with a reason.
 */
int rsp_idle(struct rsp *r, uint64_t deadline);

/*
 * Lets the guest go and closes the connection. Returns -1 after a message when
 * the guest could not be set running.
 */
int rsp_close(struct rsp *r);

#endif
