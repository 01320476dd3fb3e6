/* SPDX-License-Identifier: ISC */
/* The distinct stacks and how often each was seen. */
#ifndef KST_TABLE_H
#define KST_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/folded.h"

struct table;

struct table *table_new(void);
void table_free(struct table *t);

/* The number of a frame's name; the bytes are as a folded file holds them. */
uint32_t table_name(struct table *t, const char *name, size_t len);

/*
 * Adds to the count of a stack: n names, root first. Returns 0, or -1 when
 * the sum of all counts would not fit 64 bits (nothing is added then).
 */
int table_add(struct table *t, const uint32_t *names, size_t n,
    const struct count *count);

/* How many distinct stacks there are, and the sum of all counts. */
size_t table_stacks(const struct table *t);
const struct count *table_total(const struct table *t);

/* How many sums did not fit 64 bits in table_split(). */
uint64_t table_overflows(const struct table *t);

/*
 * When every line that was added had two counts: the last word of each
 * stack's last name is the first count. Makes the table differential.
 * Returns -1 when a stack is not so; the table is then as it was.
 */
int table_split(struct table *t);

/* Writes the table to the output, sorted bytewise by line. */
void table_write(struct table *t, bool leaf_first);

#endif
