/* SPDX-License-Identifier: ISC */
/* Private to the room: who has the lock that a thread waits for. */
#ifndef HELD_H
#define HELD_H

#include "os/osthreads.h"
#include "threads/sources.h"

/*
 * The number of the thread that has the lock at that address; 0: not known, or
 * the stack that was read does not have the function that waits for locks.
 */
uint64_t held_by(const struct places *p, const struct os_threads *os,
    const struct elfsym *kernel, const struct threads_guest *g,
    const struct thread *th, uint64_t lock);

/*
 * Sets `ended` of those of the n threads whose lock has a holder with a number
 * that no thread found has.
 */
void held_ended(struct sources *s, struct thread *th, size_t n);

#endif
