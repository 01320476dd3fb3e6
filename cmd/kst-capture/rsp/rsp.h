/* SPDX-License-Identifier: ISC */
/*
 * Samples a guest through QEMU's gdb stub, or what another stub holds: the gdb
 * remote protocol, spoken with as few exchanges as it allows.
 */
#ifndef RSP_H
#define RSP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "wire/address.h"
#include "unwind/unwind.h"
#include "guest/sampler.h"

struct rsp;

struct rsp_options {
	const struct address *addr;
	uint64_t timeout; /* of any wait, in nanoseconds */
	size_t window;	  /* bytes of each stack; 0: as many as it needs */
	bool paused;	  /* the guest is known to be, and shall stay so */
};

/*
 * Connects and reads what the target is. The guest is stopped from here on
 * until rsp_start(). Returns NULL after a reason in *why (freed by the
 * caller); the guest then runs again if it did before.
 */
struct rsp *rsp_open(const struct rsp_options *opt, char **why);

enum unwind_arch rsp_arch(const struct rsp *r);

/* What kind of stub it is, NULL: QEMU's. */
const char *rsp_kind(const struct rsp *r);

/* Whether the guest was stopped already when we came. It is left so. */
bool rsp_was_paused(const struct rsp *r);

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

/* What holds the CPUs of the last sample, and how they are sampled. */
struct sampler *rsp_sampler(struct rsp *r);

/* Why the last call failed; whether that was a second signal. */
const char *rsp_why(const struct rsp *r);
bool rsp_hurried(const struct rsp *r);

/*
 * Lets the guest go and closes the connection. Returns -1 after a message when
 * the guest could not be set running.
 */
int rsp_close(struct rsp *r);

#endif
