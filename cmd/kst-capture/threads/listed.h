/* SPDX-License-Identifier: ISC */
/*
 * The threads that are not on a CPU, of a kernel that keeps them in arrays and
 * lists, as an OS file says. Otherwise as threads.h.
 */
#ifndef LISTED_H
#define LISTED_H

#include "os/osthreads.h"
#include "threads/threads.h"

/* How many threads are read at most, from all lists. */
enum { LISTED_MAX = 4096 };

struct listed;

/*
 * Returns NULL, with what is missing in *why (static), if the file does not
 * have what is needed.
 */
struct listed *listed_new(const struct os_threads *os, struct elfsym *kernel,
    const struct unwind_abi *abi, const char **why);
void listed_free(struct listed *a);

/* Whether the lists can be read now. */
bool listed_found(struct listed *a, const struct threads_guest *g);

/*
 * Reads all threads. A thread that runs, or changes while it is read, is left
 * out. Returns -1, without any thread, if a list could not be followed to its
 * end.
 */
int listed_take(struct listed *a, const struct threads_guest *g);

/* The threads of the last listed_take(). listed_none(): there are none. */
const struct thread *listed_get(const struct listed *a, size_t *n);
void listed_none(struct listed *a);

#endif
