/* SPDX-License-Identifier: ISC */
/*
 * The records of a thread, one after the other: its open calls, and the range
 * of time.
 */
#ifndef THREAD_H
#define THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include "emit.h"
#include "folder/dat.h"
#include "folder/folder.h"
#include "text/events.h"
#include "text/range.h"

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
	char *line; /* "\tNAME\tB\t", escaped, to be copied in blocks */
	size_t line_len;
	uint64_t session_until; /* `view` holds until then; 0: look it up */
	uint32_t view;		/* of the session at the current time */
	struct child *child;	/* until its first record, or NULL */
	struct child *children; /* that its process forks */
	size_t n_children;
	struct calls calls;
	bool more; /* the range has another record */
};

/* Of a record's data: where the depth begins, and the address. */
enum { DEPTH = 6, ADDR = 16 };

/* The general part of thread_next(). */
bool thread_follow(struct emit *e, struct thread *t);

/*
 * Takes a record that only opens a call or ends the innermost one, as nearly
 * all records do, without a branch that is taken at random. False for all
 * others.
 */
static inline bool
calls_step(struct calls *c, uint64_t data, bool depths)
{
	size_t back = (data & 3) == DAT_EXIT;

	if ((data & 3) > DAT_EXIT || c->n == c->cap || c->n < back || c->more ||
	    (depths && dat_depth(data ^ (c->n - back) << DEPTH)))
		return false;
	c->data[c->n] = data;
	if ((c->data[c->n - back] ^ data) >> ADDR)
		return false;
	c->n += 1 - 2 * back;
	return true;
}

/* Whether the thread is a child, or its process forks. */
static inline bool
thread_is_kin(const struct thread *t)
{
	return t->child || t->n_children;
}

/* Writes the track's record, if it is in the range, and reads the next. */
static inline bool
thread_next(struct emit *e, struct thread *t)
{
	if (t->dat.time >= t->session_until ||
	    (e->range && t->dat.time >= e->range->to) ||
	    (e->follows &&
		(thread_is_kin(t) ||
		    !calls_step(&t->calls, t->dat.data, e->data->depths))))
		return thread_follow(e, t);
	if (!e->quiet || dat_more(&t->dat))
		emit_record(e, t);
	return t->more = dat_next(&t->dat);
}

/* The range begins with what is open on the track. */
void thread_enter_range(struct emit *e, struct thread *t);

#endif
