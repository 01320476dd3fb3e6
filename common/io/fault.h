/* SPDX-License-Identifier: ISC */
/*
 * Faults of the input: all are counted, the first few of each kind reported
 * with file and line.
 */
#ifndef KST_FAULT_H
#define KST_FAULT_H

#include <stddef.h>
#include <stdint.h>
#include "io/in.h"

/* One kind of fault. `what` names it in fault_sum()'s messages. */
struct fault {
	const char *what;
	uint64_t n;
};

/* Reported in full, of each kind. */
enum { FAULT_SAY = 3 };

/* Counts the fault; reports the first ones as `PROG: FILE:LINE: TEXT`. */
void fault_say(struct fault *f, const struct in *in, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same for a place that is not where `in` is now. */
void fault_say_at(struct fault *f, const char *file, uint64_t line,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Reports how often each of n kinds occurred, if not every fault was reported.
 * Returns the total.
 */
uint64_t fault_sum(const struct fault *f, size_t n);

#endif
