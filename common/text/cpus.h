/* SPDX-License-Identifier: ISC */
/* Sets of CPU numbers, as options give them. */
#ifndef KST_CPUS_H
#define KST_CPUS_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

enum { CPUS_MAX = 1 << 16 };

/* A zeroed struct is the set of all CPUs. A bit stands for each CPU. */
struct cpus {
	bool some; /* not all, but: */
	uint64_t want[CPUS_MAX / 64];
	uint64_t seen[CPUS_MAX / 64]; /* of those, the ones asked of */
};

/*
 * Options, of a struct cpus: a mask (`0x3`, of any width up to CPUS_MAX bits),
 * a list (`0-3,8`) or `all`; a decimal mask of up to 128 bits, as OSDK takes
 * it.
 */
int cpus_option(void *cpus, const char *text, struct buf *err);
int cpus_mask_option(void *cpus, const char *text, struct buf *err);

/*
 * Whether the CPU is in the set. The set remembers that the CPU was asked for.
 */
bool cpus_has(struct cpus *c, uint32_t cpu);

/*
 * Appends the CPUs of the set that were never asked for, as `4-7,9`; at most 16
 * ranges, then `...`. Returns whether there were any (never for `all`).
 */
bool cpus_missing(const struct cpus *c, struct buf *out);

#endif
