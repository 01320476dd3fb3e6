/* SPDX-License-Identifier: ISC */
/*
 * The file that the plugin fills for --coverage: a head, then instructions and
 * jumps, in any order. An address may come more than once.
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

/* How often a direct jump went on, and how often to its target. */
struct cover_jump {
	uint64_t addr, target, on, taken;
};

#endif
