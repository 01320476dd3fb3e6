/* SPDX-License-Identifier: ISC */
/*
 * The records of a thread, one after the other: its open calls, and the range
 * of time.
 */
#ifndef THREAD_H
#define THREAD_H

#include "emit.h"

/* Of a record's data: where the depth begins, and the address. */
enum { DEPTH = 6, ADDR = 16 };

/* thread_next() where open calls, sessions or the range matter. */
bool thread_follow(struct emit *e, struct thread *t);

/* Writes the track's record, if it is in the range, and reads the next. */
static inline bool
thread_next(struct emit *e, struct thread *t)
{
	if (e->follows || t->dat.time >= t->session_until)
		return thread_follow(e, t);
	emit_record(e, t);
	return t->more = dat_next(&t->dat);
}

/* Begin or end of a function of the kernel. */
void thread_kernel(struct emit *e, struct thread *t, uint64_t time,
    enum event_kind kind, uint64_t addr);

/*
 * In merge.c: writes the records of all threads, and the kernel's, by
 * time; the range may be NULL. Returns false if something was wrong, after a
 * message.
 */
bool merge_records(const struct data *d, struct range *range);

/* The range begins with what is open on the track. */
void thread_enter_range(struct emit *e, struct thread *t);

/*
 * Forked processes go on in the functions that their parent was in:
 * the first record of such a child is the end of the call that forked, which
 * only the parent's records begin.
 */
struct forks;

/*
 * After the first record of each track was read: links the threads of children
 * and of the processes that forked them. NULL if there are none.
 */
struct forks *forks_new(
    const struct data *d, struct thread *threads, size_t n_threads);
void forks_free(struct forks *f);

#endif
