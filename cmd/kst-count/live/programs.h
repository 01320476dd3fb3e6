/* SPDX-License-Identifier: ISC */
/*
 * Programs, which may all be linked at one place: each is known by its file's
 * code. So that the names of one are not those of another, each has addresses
 * of its own while stacks are counted and named.
 */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <stddef.h>
#include <stdint.h>

/*
 * PROGRAMS_BITS: a program's addresses are lower. PROGRAMS_OTHER is the number
 * of those that were not given and run where a kernel is linked that has moved.
 */
enum { PROGRAMS_MAX = 64, PROGRAMS_OTHER, PROGRAMS_BITS = 48 };

/*
 * Linux' modules have even numbers from here on: others come to where one was.
 * An address of theirs begins with 16 equal bits.
 */
enum { PROGRAMS_MODULES = 130, PROGRAMS_MODULES_MAX = 256 };

static inline unsigned
programs_module(unsigned number)
{
	return PROGRAMS_MODULES + 2 * number;
}

/* Where the code of a program's file is; size 0: it is known by its place. */
struct program {
	uint64_t low, size;
};

/*
 * An address of program number k, from 1 on, as no other has it; of number 0,
 * which is none, as it is.
 */
static inline uint64_t
programs_apart(unsigned k, uint64_t addr)
{
	return addr + ((uint64_t)k << PROGRAMS_BITS);
}

/* The address as it is. */
static inline uint64_t
programs_back(uint64_t addr)
{
	const uint64_t high = addr >> PROGRAMS_BITS,
		       low = addr & ((UINT64_C(1) << PROGRAMS_BITS) - 1);

	if (high <= PROGRAMS_OTHER)
		return low;
	if (high - (PROGRAMS_MODULES - 1) >= 2 * PROGRAMS_MODULES_MAX)
		return addr;
	return high % 2 ? low | UINT64_C(0xffff) << PROGRAMS_BITS : low;
}

/* The programs, and their code, one after the other. Neither is copied. */
void programs_init(
    const struct program v[PROGRAMS_MAX], const uint8_t *code, size_t size);

/*
 * Which of the programs in `of` have these bytes at this address: bit k - 1 for
 * number k.
 */
uint64_t programs_fit(uint64_t of, uint64_t addr, const uint8_t *p, size_t n);

#endif
