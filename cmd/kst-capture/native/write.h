/* SPDX-License-Identifier: ISC */
/* Private to the room: the text of a sample. */
#ifndef WRITE_H
#define WRITE_H

#include "guest/backend.h"

struct sample;
struct sampler;

/*
 * Writes the CPUs' stacks, the last one first as gdb does, and counts them.
 * SAMPLE_FAILED: there was no CPU to look at.
 */
enum sampled sampler_write(const struct sampler *s, struct sample *to);

#endif
