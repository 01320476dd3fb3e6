/* SPDX-License-Identifier: ISC */
/*
 * Faults of the input. All are counted; the first few of each kind are reported
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

/* How many faults of each kind are reported in full. */
enum { FAULT_SAY = 3 };

/* Counts the fault; reports the first ones as `PROG: FILE:LINE: TEXT`. */
#define fault_say(f, in, ...) \
	fault_say_at(f, in_name(in), in_line(in), __VA_ARGS__)
void fault_say_at(struct fault *f, const char *file, uint64_t line,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/*
 * Reports how often each of n kinds occurred, if not every fault was reported.
 * Returns the total.
 */
uint64_t fault_sum(const struct fault *f, size_t n);

#endif
