/* SPDX-License-Identifier: ISC */
/* How the records of a track become lines of event text. */
#ifndef EMIT_H
#define EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "folder/dat.h"
#include "folder/data.h"
#include "text/events.h"

/* The open calls, the innermost last: dat.data of each ENTRY. */
struct calls {
	uint64_t *data;
	size_t n, cap;
	uint64_t more; /* deeper ones */
};

/* A thread, or a CPU of a machine: a .dat file, and a track of event text. */
struct thread {
	uint64_t tid; /* first, to be sorted by */
	struct dat dat;
	char *name; /* escaped */
	size_t name_len;
	char *line; /* "\tNAME\tB\t", with room to be copied in blocks */
	size_t line_len;
	uint64_t session_until; /* until then; 0 = look it up */
	uint32_t view;		/* of the session at the current time */
	struct child *child;	/* until its first record, or NULL */
	struct child *children; /* that its process forks */
	size_t n_children;
	struct calls calls;
	struct calls kernel; /* the kernel's */
	bool more;	     /* records, in the range */
};

struct range;

struct emit {
	const struct data *data;
	struct cached *cache; /* private */
	struct intern *names; /* private: long ones */
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

/* An event of the track, with e->args, if it is in the range. */
void emit_event(struct emit *e, const struct thread *t, uint64_t time,
    enum event_kind kind, const char *name, size_t len);

/* At that time so many records were lost; 0: unknown. */
void emit_lost(
    struct emit *e, const struct thread *t, uint64_t time, uint64_t n);

/*
 * Begin or end of the function at an address of the thread's program, or of the
 * kernel; marked if nobody recorded it.
 */
void emit_func(struct emit *e, const struct thread *t, uint64_t time,
    enum event_kind kind, bool kernel, uint64_t addr, bool repaired);

#endif
