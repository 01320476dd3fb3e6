/* SPDX-License-Identifier: ISC */
/*
 * Forked processes go on in the functions that their parent was in: the first
 * record of such a child is the end of the call that forked, which only the
 * parent's records begin.
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
 * After the first record of each track was read: links the threads of children
 * and of the processes that forked them. Zeros at first.
 */
void forks_find(struct forks *f, const struct data *d, struct thread *threads,
    size_t n_threads);
void forks_done(struct forks *f);

/* A child begins, t->child: with the calls that its parent was in. */
void forks_begin(struct thread *t);

/* After a record of t->children's parent: a call that perhaps forks. */
void forks_keep(struct thread *t);

#endif
