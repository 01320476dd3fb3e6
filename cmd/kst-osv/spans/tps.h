/* SPDX-License-Identifier: ISC */
/* The tracepoints by number: which one ends which, and which have ends. */
#ifndef TPS_H
#define TPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct emit_options;

/* After so many names, all others are `??`. */
enum { TPS_MAX = 1 << 16 };

enum tp_kind {
	TP_ENTRY, /* or an event without duration */
	TP_RET,	  /* X_ret: ends X, the arguments are its value */
	TP_ERR,	  /* X_err: ends X, the argument is an error number */
	TP_WAKE	  /* mutex_lock_wake, which ends mutex_lock_wait */
};

enum tp_state {
	TP_UNKNOWN,
	TP_TIMED,
	TP_INSTANT, /* as far as the log shows */
	TP_NEVER    /* an instant, whatever the log shows */
};

/* Tracepoints of waiting threads and idle CPUs. */
enum tp_role {
	ROLE_NONE, /* or nobody asks */
	ROLE_WAIT,
	ROLE_WAIT_RET,
	ROLE_WAKE,
	ROLE_IDLE,
	ROLE_IDLE_RET
};

struct tp {
	struct piece name;
	enum tp_kind kind;
	enum tp_state state; /* entry: whether it has ends */
	uint32_t base;	     /* the entry that it ends, or itself */
	bool selected;
	enum tp_role role;
	uint64_t count;
};

struct tps {
	struct tp *tp;
	uint32_t n;
	/* private */
	size_t cap;
	struct intern *names;
	const struct emit_options *opt;
};

void tps_init(struct tps *t, const struct emit_options *opt);
void tps_done(struct tps *t);

/*
 * The tracepoint's number; a new one may move t->tp. If there are too many, it
 * is the number of `??`, and *too_many counts.
 */
uint32_t tps_id(struct tps *t, struct piece name, uint64_t *too_many);

/* Whether the tracepoint is a system call's: one record, after the call. */
bool tp_is_syscall(const struct tp *tp);

#endif
