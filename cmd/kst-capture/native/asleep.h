/* SPDX-License-Identifier: ISC */
/* Private to the room: the threads that are not on a CPU. */
#ifndef ASLEEP_H
#define ASLEEP_H

#include <stdbool.h>

struct sampler;

/* Returns -1 after a message if threads were asked for and cannot be read. */
int asleep_open(struct sampler *s);

/* Says in how many samples threads are missing, and frees everything. */
void asleep_close(struct sampler *s);

/* Whether they are to be read. */
bool asleep_asked(const struct sampler *s);

/* Whether those that slept all the time have one frame. */
bool asleep_is_brief(const struct sampler *s);

/* Whether they can only be read while the guest is stopped. */
bool asleep_needs_stop(const struct sampler *s);

/* Reads them, through a CPU as it was at its last stop. */
void asleep_take(struct sampler *s);

#endif
