/* SPDX-License-Identifier: ISC */
/*
 * Finds the innermost of many ranges around an address. Ranges that nest (or
 * overlap, in damaged data) are flattened into a sorted row of segments, and
 * each segment belongs to the innermost range over it.
 */
#ifndef KST_SEGS_H
#define KST_SEGS_H

#include <stddef.h>
#include <stdint.h>

/* A range [lo, hi) of the thing number id. */
struct seg_range {
	uint64_t lo, hi;
	uint32_t id;
};

/*
 * A segment reaches to the beginning of the next one. The last one's id is
 * SEG_NONE.
 */
struct seg {
	uint64_t start;
	uint32_t id;
};

#define SEG_NONE UINT32_MAX

struct segs {
	struct seg *v;
	size_t n;
};

/*
 * Sorts r[] and fills *out; segs_done() frees it. If ranges begin at the same
 * address, the longer one is the outer one; if they are equal, the one with the
 * lower id is. Ranges with hi <= lo are left out.
 */
enum { SEG_BYTES = 64 }; /* of memory that it takes for a range, at most */
void segs_build(struct seg_range *r, size_t n, struct segs *out);
void segs_done(struct segs *s);

/* The id of the segment over addr, or SEG_NONE. */
uint32_t segs_find(const struct segs *s, uint64_t addr);

#endif
