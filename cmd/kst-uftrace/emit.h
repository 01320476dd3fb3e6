/* SPDX-License-Identifier: ISC */
/* Writes records as lines of event text. */
#ifndef EMIT_H
#define EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "text/events.h"

struct cached;
struct data;
struct intern;
struct range;
struct thread;

struct emit {
	const struct data *data;
	struct cached *cache; /* private */
	struct intern *names; /* private: long ones */
	struct intern *mangled;
	char **plain; /* by number in `mangled`; NULL: not mangled */
	size_t plain_cap;
	struct buf text, args;
	uint64_t base; /* a time, and its digits but the last 8 */
	char base_text[12];
	size_t base_len;
	struct range *range; /* NULL: all */
	bool follows;	     /* keep the threads' open calls */
	bool quiet;	     /* before the range: read, and write nothing */
};

/* The range may be NULL. */
void emit_init(struct emit *e, const struct data *d, struct range *range);
void emit_done(struct emit *e);

/* Sets the track's name (plain text). */
void emit_name(struct thread *t, const char *name);

/* Writes the track's record, if it is in the range, and skips its payload. */
void emit_record(struct emit *e, struct thread *t);

/*
 * Writes a begin or end that was not recorded, and is marked, of the function
 * at an address of the thread's program.
 */
void emit_repaired(struct emit *e, const struct thread *t, uint64_t time,
    enum event_kind kind, uint64_t addr);

#endif
