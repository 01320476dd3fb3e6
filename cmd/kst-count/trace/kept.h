/* SPDX-License-Identifier: ISC */
/*
 * The records of --trace that nothing changes any more: in few bytes, in memory
 * for the last instructions, or else in the file as they come.
 */
#ifndef KEPT_H
#define KEPT_H

#include <stdint.h>
#include <stdio.h>

#include "trace/record.h"

/* `last`: instructions before the end that are kept; 0: all. */
void kept_open(FILE *f, uint64_t last);

void kept_put(const struct record *r);

/*
 * Writes what is left, at the time of the end, and sets all about records in
 * the head, and its begin, if earlier records were not kept.
 */
void kept_end(struct trace_head *h);

#endif
