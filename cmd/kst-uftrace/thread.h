/* SPDX-License-Identifier: ISC */
/*
 * The records of a thread, one after the other: its open calls, and the range
 * of time.
 */
#ifndef THREAD_H
#define THREAD_H

#include "emit.h"

/* Of a record's data: where the depth begins, and the address. */
enum { DEPTH = 6, DEPTH_MASK = 1023, ADDR = 16 };

void calls_push(struct calls *c, uint64_t data);
/* Ends the innermost call that is the same above `shift` bits, and those
 * within.
 */
void calls_pop(struct calls *c, uint64_t data, unsigned shift);

/*
 * The short cut for nearly all records: takes one that only opens a call or
 * ends the innermost one; false for all others.
 */
static inline bool
calls_step(struct calls *c, uint64_t data, bool depths)
{
	size_t back = (data & 3) == DAT_EXIT;

	/* without a branch that is taken at random */
	if ((data & 3) > DAT_EXIT || c->n == c->cap || c->n < back || c->more ||
	    (depths && (data >> DEPTH ^ (c->n - back)) & DEPTH_MASK))
		return false;
	c->data[c->n] = data;
	if ((c->data[c->n - back] ^ data) >> ADDR)
		return false;
	c->n += 1 - 2 * back;
	return true;
}

/*
 * Before a record: ends what is over. Returns false if the record is not to be
 * written.
 */
bool thread_prepare(struct emit *e, struct thread *t);

/* A call that was not recorded begins, at the time of the record. */
void thread_begin(struct emit *e, struct thread *t, uint64_t data);

/* The track's record. */
void thread_record(struct emit *e, struct thread *t);

/* Begin or end of a function of the kernel. */
void thread_kernel(struct emit *e, struct thread *t, uint64_t time,
    enum event_kind kind, uint64_t addr);

/*
 * In merge.c: writes the records of all threads, and the kernel's, by
 * time; the range may be NULL. Returns false if something was wrong, after a
 * message.
 */
bool merge_records(const struct data *d, struct range *range);

/* The range begins or ends with what is open on the track. */
void thread_enter_range(struct emit *e, struct thread *t);
void thread_leave_range(struct emit *e, struct thread *t);

#endif
