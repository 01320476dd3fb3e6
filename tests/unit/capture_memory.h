/* SPDX-License-Identifier: ISC */
/*
 * A guest's memory that is made here. A unit defines before this header where a
 * kernel of its file begins, KERNEL, by how much it was moved, SLIDE, and the
 * size of its memory, MEMORY.
 */
#ifndef CAPTURE_MEMORY_H
#define CAPTURE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "guest/vcpu.h"
#include "unit.h"

static uint8_t memory[MEMORY];
static unsigned reads;

/* A place that, when it is read, adds one to the byte at another one, as if a
 * thread ran meanwhile. */
static struct {
	uint64_t at, adds_at;
	bool on;
} meanwhile;

/* Stores n bytes of a number. */
static inline void
put(uint64_t at, uint64_t v, int n)
{
	for (int i = 0; i < n; i++)
		memory[at + (unsigned)i] = (uint8_t)(v >> 8 * i);
}

static inline int
read_memory(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	const uint64_t at = addr - KERNEL - SLIDE;

	CHECK(arg == memory);
	reads++;
	if (at > MEMORY || MEMORY - at < n)
		return -1;
	if (meanwhile.on && at == meanwhile.at)
		memory[meanwhile.adds_at]++;
	memcpy(to, memory + at, n);
	return 0;
}

static const struct reader reader = {read_memory, memory};

/* The address of a place in it. */
static inline uint64_t
place(uint64_t at)
{
	return KERNEL + SLIDE + at;
}

#endif
