/* SPDX-License-Identifier: ISC */
/* The records of all threads, by time. */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>

struct data;
struct range;

/*
 * Writes the records. The range may be NULL. Returns false, after a message, if
 * something was wrong.
 */
bool merge_records(const struct data *d, struct range *range);

#endif
