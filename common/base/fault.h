/* SPDX-License-Identifier: ISC */
/*
 * Faults of the input. The first few of each kind are reported in full, with
 * file and line; all are counted.
 */
#ifndef KST_FAULT_H
#define KST_FAULT_H

#include <stddef.h>
#include <stdint.h>
#include "base/in.h"

/* One kind of fault. `what` names it in fault_sum()'s messages. */
struct fault {
	const char *what;
	uint64_t n;
};

/* So many of a kind are reported in full. */
enum { FAULT_SAY = 3 };

/* Counts the fault; reports the first ones as `PROG: FILE:LINE: TEXT`. */
void fault_say(struct fault *f, const struct in *in, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Reports how often each of n kinds occurred, if not every fault was reported.
 * Returns the total.
 */
uint64_t fault_sum(const struct fault *f, size_t n);

#endif
