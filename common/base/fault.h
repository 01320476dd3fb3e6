/* SPDX-License-Identifier: ISC */
/*
 * Faults of the input: each kind is said in full the first few times, with
 * file and line, and counted after that.
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

/* How many times a kind of fault is said in full. */
enum { FAULT_SAY = 3 };

/* Counts the fault and, the first times, says `PROG: FILE:LINE: TEXT`. */
void fault_say(struct fault *f, const struct in *in, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/*
 * Says the count of each of n kinds that was not said in full each time.
 * Returns the total of all kinds.
 */
uint64_t fault_sum(const struct fault *f, size_t n);

#endif
