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

/* Reads the head; never NULL. */
struct tracefile *tracefile_open(struct in *in);
void tracefile_close(struct tracefile *t);

/* The next record, valid until the next call. Returns 1, or 0 at the end. */
int tracefile_next(struct tracefile *t, struct record *r);

/* What makes the rest unreadable, and where; NULL if nothing. */
const char *tracefile_damage(const struct tracefile *t, uint64_t *offset);

#endif
