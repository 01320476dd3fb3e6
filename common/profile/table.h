/* SPDX-License-Identifier: ISC */
/*
 * The distinct stacks and how often each was seen. A stack is an array of name
 * numbers. Each distinct stack and name is stored once: a stack takes 48 bytes
 * and 4 for each frame.
 */
#ifndef KST_TABLE_H
#define KST_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "text/folded.h"

/* Gets each stack that is added, with its count. */
typedef void table_watcher(
    void *arg, uint32_t stack, const struct count *count);

struct table {
	struct count total;
	uint64_t overflows; /* sums that did not fit 64 bits in table_split() */
	/* private to common/profile */
	struct intern *names, *stacks;
	size_t frames;	      /* of distinct stacks */
	uint32_t *adds;	      /* by stack: lines or samples, saturating */
	struct count *counts; /* by stack, then column */
	size_t adds_cap, counts_cap;
	size_t columns; /* of counts: 2 if the text is differential */
	size_t column;	/* which is added to */
	table_watcher *watcher;
	void *watcher_arg;
	struct buf name; /* scratch */
};

struct table *table_new(void);
void table_free(struct table *t);

/* The number of a frame's name, which must be written as in a folded file. */
uint32_t table_name(struct table *t, const char *name, size_t len);

/* The number of any name, changed as by folded_add_name(). */
uint32_t table_any_name(struct table *t, const char *name, size_t len);

/*
 * Adds to the count of a stack: n names, root first. Returns 0, or -1 when
 * the sum of all counts would not fit 64 bits (nothing is added then).
 */
int table_add(struct table *t, const uint32_t *names, size_t n,
    const struct count *count);

/* The number of a stack, from 0 in order of first sight; adds no weight. */
uint32_t table_find(struct table *t, const uint32_t *names, size_t n);

/* How many distinct stacks there are, frames in them, and distinct names. */
uint32_t table_stacks(const struct table *t);
size_t table_frames(const struct table *t);
uint32_t table_names(const struct table *t);

/* A stack, from 0 in order of first sight: one of its counts; its names. */
struct count *table_count(const struct table *t, uint32_t stack, size_t column);
const uint32_t *table_stack(const struct table *t, uint32_t stack, size_t *n);

/*
 * The names, which the caller may replace. From then on no stack is found or
 * added.
 */
uint32_t *table_edit(const struct table *t, uint32_t stack, size_t *n);

const char *table_name_text(const struct table *t, uint32_t name, size_t *len);

/*
 * For two profiles in one table: from here on counts are added to count 0 or 1,
 * and the watcher gets the stacks. Makes the table, which must be empty at
 * first, differential.
 */
void table_watch(
    struct table *t, size_t column, table_watcher *watcher, void *arg);

/* Multiplies all first counts by to / from, rounded down. */
void table_scale(
    struct table *t, const struct count *from, const struct count *to);

/*
 * If every line had two counts: the last word of each stack's last name becomes
 * the first count, and the table differential. Returns -1, with the table
 * unchanged, if a stack has no such word.
 */
int table_split(struct table *t);

/* Frees what finds stacks and names. From then on nothing is added. */
void table_seal(struct table *t);

#endif
