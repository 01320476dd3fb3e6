/* SPDX-License-Identifier: ISC */
/*
 * Continues the calls of a parent in the processes that it forks: the first
 * record of such a child is the end of the call that forked, but only the
 * parent's records begin that call.
 */
#ifndef FORKS_H
#define FORKS_H

#include <stddef.h>

struct data;
struct thread;

struct forks {
	struct child *v;
	size_t n, cap;
};

/*
 * To be called after the first record of each track was read: links the threads
 * of children with those of the processes that forked them. The struct is zero
 * at first.
 */
void forks_find(struct forks *f, const struct data *d, struct thread *threads,
    size_t n_threads);
void forks_done(struct forks *f);

/* Begins a child, t->child, with the calls that its parent was in. */
void forks_begin(struct thread *t);

/*
 * To be called after a record of the parent of t->children, which perhaps
 * forks: takes its open calls.
 */
void forks_keep(struct thread *t);

#endif
