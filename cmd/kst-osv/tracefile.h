/* SPDX-License-Identifier: ISC */
/*
 * The binary file `tracefile` that OSv's scripts write, version 3, of either
 * byte order:
 *
 *	i32 3 | u64 n | n * (u64 key, str name, str signature, str format)
 *	record: u64 key, u64 thread, char name[16], u64 time, u32 cpu
 *	        u64 ... 0   the backtrace, leaf first
 *	        arguments by signature
 *
 * str is a u16 length and the bytes. Fields are aligned to their size from
 * the beginning of their group (head, arguments), not of the file.
 */
#ifndef TRACEFILE_H
#define TRACEFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record.h"

struct in;
struct tracefile;

enum { TRACEFILE_FRAMES_MAX = 1024 };

/* Whether the current file begins like one. */
bool tracefile_detect(struct in *in);

/* Whether it begins like one of a version that is not known. */
bool tracefile_foreign(struct in *in);

/*
 * Reads the head; never NULL. When it is wrong, *why says so and only
 * tracefile_offset() may be called; else *why is NULL.
 */
struct tracefile *tracefile_open(struct in *in, const char **why);
void tracefile_close(struct tracefile *t);

/*
 * The next record and its backtrace, valid until the next call. Returns 1, 0 at
 * the end, or -1 with *why: the rest is unreadable.
 */
int tracefile_next(struct tracefile *t, struct record *r,
    const uint64_t **frames, size_t *n_frames, const char **why);

/* The bytes read of the file. */
uint64_t tracefile_offset(const struct tracefile *t);

#endif
