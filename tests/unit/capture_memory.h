/* SPDX-License-Identifier: ISC */
/* A guest's memory that is made here: the kernel's, moved by SLIDE. */
#ifndef CAPTURE_MEMORY_H
#define CAPTURE_MEMORY_H

#include <stdint.h>
#include <string.h>

#include "unit.h"
#include "unwind/unwind.h"

#define KERNEL UINT64_C(0xffffffff81000000)
#define SLIDE UINT64_C(0x200000)
enum { MEMORY = 32 << 10 };

static uint8_t memory[MEMORY];
static unsigned reads;

static int
read_memory(void *arg, uint64_t addr, uint8_t *to, size_t n)
{
	const uint64_t at = addr - KERNEL - SLIDE;

	CHECK(arg == memory);
	reads++;
	if (at > MEMORY || MEMORY - at < n)
		return -1;
	memcpy(to, memory + at, n);
	return 0;
}

static const struct reader reader = {read_memory, memory};

/* The address of a place in it. */
static uint64_t
place(uint64_t at)
{
	return KERNEL + SLIDE + at;
}

#endif
