/* SPDX-License-Identifier: ISC */
/*
 * The threads that are not on a CPU, of a kernel that keeps them in an array,
 * as an OS file says. Otherwise as threads.h.
 */
#ifndef ARRAY_H
#define ARRAY_H

#include "os/osfile.h"
#include "threads/threads.h"

struct array;

/*
 * Returns NULL, with what is missing in *why (static), if the file does not
 * have what is needed.
 */
struct array *array_new(const struct os_threads *os, struct elfsym *kernel,
    const struct unwind_abi *abi, const char **why);
void array_free(struct array *a);

/* Whether the array can be read now. */
bool array_found(struct array *a, const struct threads_guest *g);

/*
 * Reads all threads. A thread that runs, or changes while it is read, is left
 * out.
 */
void array_take(struct array *a, const struct threads_guest *g);

/* The threads of the last array_take(). array_none(): there are none. */
const struct thread *array_get(const struct array *a, size_t *n);
void array_none(struct array *a);

#endif
