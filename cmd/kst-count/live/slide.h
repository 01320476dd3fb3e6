/* SPDX-License-Identifier: ISC */
/*
 * Finds by how much a kernel has moved itself (KASLR), by comparing its file's
 * code with what is executed.
 */
#ifndef SLIDE_H
#define SLIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLIDE_KEPT = 64 };

struct slide {
	const uint8_t *code; /* the file's, from `low` on; or NULL */
	uint64_t low, size;
	uint64_t by; /* once it is found: what to add to the file's addresses */
	bool found;
	bool seen; /* some of the file's code was executed where it is linked */
	/* private */
	struct {
		uint64_t by;
		unsigned votes;
	} kept[SLIDE_KEPT];
	unsigned n, searched;
};

/*
 * To be called when a block of code of n bytes at pc is executed for the first
 * time. Returns whether this block has shown the slide.
 */
bool slide_look(struct slide *s, uint64_t pc, const uint8_t *p, size_t n);

#endif
