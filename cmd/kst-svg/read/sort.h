/* SPDX-License-Identifier: ISC */
/* Collects stacks in any order and gives them back in bytewise order. */
#ifndef SORT_H
#define SORT_H

#include <stdbool.h>
#include <stddef.h>

#include "frames/weight.h"

struct sort;

struct sort *sort_new(void);
void sort_free(struct sort *s);

/* Adds a stack (copied). With reverse its frames are turned: leaf first. */
void sort_add(struct sort *s, const char *stack, size_t len, const weight w[2],
    bool reverse);

struct sorted {
	const char *p;
	size_t len;
	weight w[2];
	uint64_t first; /* how many different stacks were added before it */
};

/* Sorts; after that sort_next() gives the stacks. */
void sort_done(struct sort *s);

/* After sorting: the stacks have at least so many frames. */
size_t sort_frames(const struct sort *s);

/* The next stack, its text valid until the next call; false at the end. */
bool sort_next(struct sort *s, struct sorted *out);

#endif
