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
struct emit;
struct forks;
struct track;

/*
 * After the first record of each track was read. Links the tracks of children
 * and of the processes that forked them; returns NULL if there are none.
 */
struct forks *forks_new(
    const struct data *d, struct track *tracks, size_t n_tracks);
void forks_free(struct forks *f);

/* Before a record of a linked track is written. */
void forks_note(struct emit *e, struct track *t);

#endif
