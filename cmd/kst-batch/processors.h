/* SPDX-License-Identifier: ISC */
/* The processors that this command may use. */
#ifndef PROCESSORS_H
#define PROCESSORS_H

#include <stdint.h>

/* How many there are; at least 1. */
uint64_t processors(void);

/*
 * Keeps this process, and what it starts, on one of them: slot 1 is the
 * first. The filters of a pipe then hand their text on through one cache,
 * which is worth more than what they could do at the same time, as long as
 * every processor has a pipe of its own.
 */
void processor_keep(uint64_t slot);

/* The processors of the parent again, for pipes that run at the same time. */
void processor_free(void);

#endif
