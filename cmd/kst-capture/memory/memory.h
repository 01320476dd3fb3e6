/* SPDX-License-Identifier: ISC */
/*
 * Parts of one CPU's memory, as read while the guest was stopped, and the
 * kernel's code.
 */
#ifndef MEMORY_H
#define MEMORY_H

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

/*
 * Makes room for n bytes that begin at addr. NULL if there are too many parts.
 */
uint8_t *snap_add(struct snap *s, uint64_t addr, size_t n);

/* Reads a word of n bytes. -1 if it is not completely in the snapshot. */
int snap_word(const struct snap *s, uint64_t addr, size_t n, uint64_t *word);

/* Reads n bytes, of one part or of several. -1 if they are not all there. */
int snap_bytes(const struct snap *s, uint64_t addr, uint8_t *to, size_t n);

/* Shortens [*addr, *addr + *n) at both ends by the bytes that are there. */
void snap_missing(const struct snap *s, uint64_t *addr, size_t *n);

/*
 * The code of the guest's kernel as it is in memory. It differs from the file,
 * because kernels patch call sites when they start. Blocks are read once and
 * kept.
 */
enum { CODE_BLOCK = 1024, CODE_BLOCKS = 4096 };

/*
 * Reads a whole block of the guest's memory. -1: it cannot be read now, or
 * never.
 */
typedef int code_fetch(void *arg, uint64_t addr, uint8_t *to, size_t n);

/* Zero it to begin; pages that are not used take no memory. */
struct code {
	/*
	 * Each address has one place, where the last block that was read for it
	 * is.
	 */
	struct code_block {
		uint64_t addr;
		bool full;
		uint8_t bytes[CODE_BLOCK];
	} block[CODE_BLOCKS];
};

/* Copies up to n bytes. Returns how many were copied. */
size_t code_bytes(struct code *c, uint64_t addr, uint8_t *to, size_t n,
    code_fetch *fetch, void *arg);

#endif
