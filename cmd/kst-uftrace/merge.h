/* SPDX-License-Identifier: ISC */
/* The records of all threads, by time. */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>

struct data;
struct range;

/*
 * Writes them; the range may be NULL. Returns false if something was wrong,
 * after a message.
 */
bool merge_records(const struct data *d, struct range *range);

#endif
