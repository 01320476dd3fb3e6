/* SPDX-License-Identifier: ISC */
/*
 * Forked processes go on in the functions that their parent was in: the first
 * record of such a child is the end of the call that forked, which only the
 * parent's records begin.
 */
#ifndef FORKS_H
#define FORKS_H

#include "thread.h"

struct forks;

/*
 * After the first record of each track was read: links the threads of children
 * and of the processes that forked them. NULL if there are none.
 */
struct forks *forks_new(
    const struct data *d, struct thread *threads, size_t n_threads);
void forks_free(struct forks *f);

/* For a track with kin: before, and after a record is written. */
void forks_begin(struct emit *e, struct thread *t);
void forks_note(struct thread *t);

#endif
