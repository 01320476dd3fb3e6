/* SPDX-License-Identifier: ISC */
/* Private to the room: call frame information as a file, for libdw. */
#ifndef FRAMES_H
#define FRAMES_H

#include <stddef.h>
#include <stdint.h>

struct buf;

/* .eh_frame and .debug_frame: n bytes, or 0. */
enum { FRAMES_EH, FRAMES_DEBUG, FRAMES_N };
struct frames {
	uint64_t addr;
	const uint8_t *p;
	size_t n;
};

/*
 * An ELF file of 64 bits with these sections, and a segment of code of which it
 * has nothing.
 */
void frames_file(struct buf *b, unsigned machine, uint64_t text, uint64_t size,
    const struct frames f[FRAMES_N]);

#endif
