/* SPDX-License-Identifier: ISC */
/*
 * The two binary files of OSv's trace buffers, of either byte order. str is a
 * u16 length and the bytes. The tracefile that OSv's scripts write, version 3:
 *
 *	i32 3 | u64 n | n * (u64 key, str name, str signature, str format)
 *	record: u64 key, u64 thread, char name[16], u64 time, u32 cpu
 *	        u64 ... 0   the backtrace, leaf first
 *	        arguments by signature
 *
 * The dump of the buffers, as OSv's REST interface gives it:
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
 * In a dump, fields are aligned to their size, and chunks to 8; arguments are
 * in both, from their beginning.
 */
#ifndef BINARY_H
#define BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "log/fields.h"
#include "base/buf.h"
#include "log/record.h"

struct in;
struct intern;

enum {
	POINTS_MAX = 1 << 20, /* more in a list are damage */
	FRAMES_MAX = 1024,    /* those of a longer backtrace are left out */
	LOGS_MAX = 1024,      /* each record is sought in as many: CPUs */
	BINARY_MAX = 1 << 30  /* bytes held in memory; the rest is not read */
};

struct binary {
	const char *damage; /* what was damaged first; NULL: nothing so far */
	uint64_t damage_at;
	/* private */
	bool is_dump;
	struct cursor all; /* data, at its beginning */
	struct intern *keys;
	struct point *points; /* by number of the key */
	size_t n_points, cap_points;
	struct buf data;
	struct log *logs;
	size_t n_logs, cap_logs;
	size_t n_frames; /* of each of a dump's backtraces */
	uint64_t frames[FRAMES_MAX];
	struct buf args;
};

/* NULL if the current file does not begin like one; else reads all of it. */
struct binary *binary_open(struct in *in);
void binary_close(struct binary *b);

/* The next record, valid until the next call: false at the end. */
bool binary_next(struct binary *b, struct osv_record *r);

#endif
