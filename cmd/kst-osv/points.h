/* SPDX-License-Identifier: ISC */
/* The tracepoints that a binary file of OSv's lists, and their arguments. */
#ifndef POINTS_H
#define POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "record.h"

struct intern;

/* More in a list are damage. */
enum { POINTS_MAX = 1 << 20 };

/* Its texts, each with a NUL after it that does not count. */
struct point {
	struct buf name, signature, format;
};

struct points {
	struct intern *keys; /* key bytes -> number in v */
	struct point *v;
	size_t n, cap;
};

void points_init(struct points *p);
void points_done(struct points *p);

/* The entry of a key, empty; of two with one key the later counts. */
struct point *points_add(struct points *p, uint64_t key);

/* NULL if there is none. */
const struct point *points_find(const struct points *p, uint64_t key);

/* Whether it has a name that can be one. */
bool point_is_good(const struct point *pt);

/*
 * Writes the arguments that are packed at p to *text, as OSv's strace prints
 * them. Returns their length, or -1, with *want the length that is needed to go
 * on, or 0 if the signature is wrong.
 */
long point_args(const struct point *pt, const char *p, size_t len, bool big,
    struct buf *text, size_t *want);

/* The record of a head, of 44 bytes, and these arguments. */
struct record point_record(
    const struct point *pt, const char *head, bool big, const struct buf *args);

#endif
