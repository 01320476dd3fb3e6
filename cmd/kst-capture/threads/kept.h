/* SPDX-License-Identifier: ISC */
/* Private to the room: stacks that are kept until their threads run again. */
#ifndef KEPT_H
#define KEPT_H

#include "threads/threads.h"

/* Gives the thread a stack; *frames counts those of all threads. */
void kept_stack(
    size_t *frames, struct thread *th, const struct unwind_stack *st);

/* The thread has no stack any more, and no files. */
void kept_drop(size_t *frames, struct thread *th);

#endif
