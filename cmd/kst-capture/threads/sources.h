/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: follows the lists, arrays and tables that lead to
 * threads, before any of these is read.
 */
#ifndef SOURCES_H
#define SOURCES_H

#include "threads/listed.h"
#include "threads/places.h"

/* A thread that was found. */
struct sourced {
	uint64_t at;
	/* Its pointer to the next one, and where that is in it; 0: none. */
	uint64_t next, next_at;
	enum trace_state is; /* by its list; STATE_UNKNOWN: it tells itself */
	bool again;	     /* an earlier source has it, too */
};

struct sources {
	const struct places *p;
	struct elfsym *kernel;
	const struct threads_guest *g;
	unsigned word; /* bytes of a pointer */
	struct sourced found[LISTED_MAX];
	size_t n;
};

/*
 * False if something could not be read, or a list has no end, or there are more
 * than LISTED_MAX.
 */
bool sources_take(struct sources *s);

/* Reads a number of n bytes. */
bool sources_number(struct sources *s, uint64_t at, size_t n, uint64_t *to);

/* The address of a place, where the kernel is now. */
bool sources_address(struct sources *s, const struct elfplace *p, uint64_t *to);

#endif
