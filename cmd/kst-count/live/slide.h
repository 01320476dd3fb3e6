/* SPDX-License-Identifier: ISC */
/*
 * Finds by how much a kernel has moved itself (KASLR), by comparing its file's
 * code with what is executed. It may have begun elsewhere, so there may be
 * several places.
 */
#ifndef SLIDE_H
#define SLIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SLIDE_KEPT = 64, SLIDE_PLACES = 4 };

struct slide {
	const uint8_t *code; /* the file's, from `low` on; or NULL */
	uint64_t low, size;
	/* What to add to the file's addresses, for each place in the order in
	 * which they were found; not for where it is linked. */
	uint64_t by[SLIDE_PLACES];
	unsigned places;
	bool home; /* since it was found elsewhere it has moved there */
	/* private */
	struct {
		uint64_t by;
		uint64_t blocks; /* a bit for one or more of them */
	} kept[SLIDE_KEPT];
	unsigned n, next;
	uint8_t *index;
	bool other, seen; /* a block of many bytes was where it is linked */
	int64_t few;	  /* how many more of few bytes were so than not */
};

/*
 * Whether some of the file's code was executed, or nothing is known of it. Few
 * bytes are equal by chance, too.
 */
bool slide_seen(const struct slide *s);

/* The last place, 0 if there is none. */
uint64_t slide_last(const struct slide *s);

/*
 * To be called when a block of code of n bytes at pc is executed for the first
 * time. Returns whether this block has shown one more place.
 */
bool slide_look(struct slide *s, uint64_t pc, const uint8_t *p, size_t n);

/*
 * Whether such a block, where the kernel is linked, is of a program that runs
 * there since the kernel has moved elsewhere. Few bytes are taken for the same
 * as those of the block before.
 */
bool slide_left(struct slide *s, uint64_t pc, const uint8_t *p, size_t n);

#endif
