/* SPDX-License-Identifier: ISC */
/* Private to the room: the threads that are not on a CPU. */
#ifndef ASLEEP_H
#define ASLEEP_H

#include <stdbool.h>

struct sampler;

/* Returns -1 after a message when they were asked for and cannot be read. */
int asleep_open(struct sampler *s);

/* Says in how many samples they are missing, and frees all. */
void asleep_close(struct sampler *s);

/* Whether they are to be read. */
bool asleep_asked(const struct sampler *s);

/* Whether they can only be read while the guest stands. */
bool asleep_needs_stop(const struct sampler *s);

/* Reads them, by a CPU as it was at its last stop. */
void asleep_take(struct sampler *s);

#endif
