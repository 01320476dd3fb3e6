/* SPDX-License-Identifier: ISC */
/*
 * A record of OSv's tracepoint log: a line that strace wrote to the console,
 *
 * 	THREAD, 15 columns  CPU, 3  SECONDS, 12.9  NAME(ARGS)
 *
 * or a record of the binary tracefile that OSv's scripts write.
 */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

struct osv_record {
	struct piece thread; /* its name, at most 15 bytes; may be empty */
	uint64_t ptr;	     /* the thread; 0 if only the name is known */
	uint32_t cpu;
	uint64_t time;		/* nanoseconds since boot */
	struct piece name;	/* of the tracepoint: letters, digits, `_` */
	struct piece args;	/* without the parentheses */
	const uint64_t *frames; /* its backtrace, leaf first */
	size_t n_frames;
	uint32_t tp, thread_id; /* set by emit_record() */
	bool cut;		/* no `)` at the end of the line */
	bool glued;		/* other output precedes it on the line */
};

/*
 * Finds the record at the end of a console line (without LF); its texts point
 * into the line. Returns false if there is none.
 */
bool record_parse(const char *line, size_t len, struct osv_record *r);

/*
 * The console's times are nanoseconds as single-precision floats. This is the
 * distance of neighbouring floats at that time.
 */
uint64_t record_time_step(uint64_t time);

/* Writes a record's backtrace as trace text, as capture number seq. */
void stack_put(const struct osv_record *r, uint64_t seq);

#endif
