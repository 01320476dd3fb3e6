/* SPDX-License-Identifier: ISC */
/*
 * Writes the records of --trace as they come, or keeps the last ones until the
 * end.
 */
#ifndef RING_H
#define RING_H

#include "trace/record.h"

/*
 * Opens the file, if one is asked for; `in` as for spans_init(). Returns false,
 * with errno, if it cannot.
 */
bool ring_open(const struct trace_ask *ask, uint64_t in);

/*
 * A CPU has begun, or changed, its innermost span. Nothing is noted if nothing
 * differs from the last note. Times do not decrease.
 */
void ring_note(struct record r);

/* Writes what is left, and the spans. Returns false if not all was written. */
bool ring_end(uint64_t time);

#endif
