/* SPDX-License-Identifier: ISC */
/*
 * What the plugin has counted for --coverage: a file of a head, instructions
 * and jumps, in any order, and an address more than once.
 */
#ifndef COVER_H
#define COVER_H

#include <stdint.h>

struct cover_head {
	uint64_t size; /* of this struct; 0: the file is not whole */
	uint64_t insns, jumps;
};

/* An instruction was executed `count` times. */
struct cover_insn {
	uint64_t addr, count, next; /* next: the address after it */
};

/* A direct jump went on, or to its target. */
struct cover_jump {
	uint64_t addr, target, on, taken;
};

#endif
