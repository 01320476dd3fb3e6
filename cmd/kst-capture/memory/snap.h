/* SPDX-License-Identifier: ISC */
/*
 * Parts of one CPU's memory, as read while the guest stood still; and where
 * stacks have ended, which says how much to read.
 */
#ifndef SNAP_H
#define SNAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "base/buf.h"

struct snap_part {
	uint64_t addr;
	size_t len, off; /* bytes at off in the buffer */
};

enum { SNAP_PARTS = 64 };

/* Zero it to begin. */
struct snap {
	struct buf bytes;
	struct snap_part part[SNAP_PARTS];
	size_t n;
};

void snap_clear(struct snap *s);
void snap_done(struct snap *s);

/* Room for n bytes that begin at addr; NULL when there are too many parts. */
uint8_t *snap_add(struct snap *s, uint64_t addr, size_t n);

/* A word of n bytes; -1 when it is not in the snapshot as a whole. */
int snap_word(const struct snap *s, uint64_t addr, size_t n, uint64_t *word);

/* n bytes, of one part or of several; -1 when they are not all there. */
int snap_bytes(const struct snap *s, uint64_t addr, uint8_t *to, size_t n);

/* Shortens [*addr, *addr + *n) at both ends by the bytes that are there. */
void snap_missing(const struct snap *s, uint64_t *addr, size_t *n);

/* The stacks that were unwound to their ends, by address. */
struct extent {
	uint64_t low, top; /* low: the lowest page seen in use */
};

enum { EXTENTS_MAX = 4096, EXTENTS_SAVED = 512 };

struct extents {
	struct extent *seen; /* sorted by top */
	size_t n;
};

void extents_done(struct extents *s);

/* Bytes from sp to the end of its stack; 0 when not known. */
size_t extents_need(const struct extents *s, uint64_t sp);

/*
 * Learns that a stack in use at sp ended below top. A little below a page's end
 * it is taken to reach that: a new task has used less than the registers that
 * an entry will save there.
 */
void extents_learn(struct extents *s, uint64_t sp, uint64_t top);

/* Forgets the stack around sp: it was not as learned. */
void extents_forget(struct extents *s, uint64_t sp);

#endif
