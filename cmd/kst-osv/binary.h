/* SPDX-License-Identifier: ISC */
/* The two binary files of OSv's trace buffers. */
#ifndef BINARY_H
#define BINARY_H

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

struct dump;
struct in;
struct tracefile;

/*
 * The dump of OSv's trace buffers, as its REST interface gives it, of either
 * byte order:
 *
 *	u32 "OSVT" | u64 size | u32 1 | u32 version | chunks
 *	chunk: u32 tag | u64 size | content
 *	"TRCD": u32 frames | u32 n | n * (u64 key, str id, str name,
 *	        str provider, str format, u32 n * (str name, u8 signature))
 *	"TRCS": the records of one CPU, by time, until key 0:
 *	        u64 key, u64 thread, char name[16], u64 time, u32 cpu, u32 flags
 *	        u64 * frames, if bit 0 of the flags is set
 *	        arguments by signature; the next record is aligned to 8
 *
 * str is a u16 length and the bytes. Outside of records, fields are aligned to
 * their size in the file, and chunks to 8; arguments from their beginning.
 */
/* Dumps are held in memory; the rest of a longer one is left out. */
enum { DUMP_MAX = 1 << 30 };

/* Whether the current file begins like one. */
bool dump_detect(struct in *in);

/* Reads all of the current file; never NULL. */
struct dump *dump_open(struct in *in);
void dump_close(struct dump *d);

/*
 * The next record of all CPUs by time, valid until the next call. Returns 1, or
 * 0 at the end.
 */
int dump_next(struct dump *d, struct record *r);

/* What was damaged first, and where; NULL if nothing so far. */
const char *dump_damage(const struct dump *d, uint64_t *offset);

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
