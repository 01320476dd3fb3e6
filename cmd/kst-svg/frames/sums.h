/* SPDX-License-Identifier: ISC */
/* Exact sums by function, also of frames that are too narrow to be kept. */
#ifndef SUMS_H
#define SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "frames/weight.h"

struct intern;

/* More than a profile has; only names with numbers in them are so many. */
enum { SUMS_NAMES_MAX = 1 << 17 };

/* Open because the data's writer goes through it. */
struct sums {
	struct intern *names;
	struct sum { /* of each name */
		/* of one count: self and total; of two: the total of each */
		weight of[2];
		bool is_open; /* private: the last stack has it */
	} * v;
	double least; /* lighter functions need not be shown */
	/* private */
	size_t cap;
	bool two;
	struct buf last, text; /* the last stack; a name */
	struct sums_frame {    /* of the last stack */
		size_t end;
		uint32_t id;
		bool is_outer; /* no frame below it has the same name */
	} * open;
	size_t n_open, cap_open;
};

/* two: there are two counts. */
struct sums *sums_new(bool two, double least);
void sums_free(struct sums *s); /* s may be NULL */

/*
 * Counts a stack (frames between `;`, copied) with its weights. Returns false
 * when there are too many functions for the memory.
 */
bool sums_add(struct sums *s, const char *stack, size_t len, const weight w[2]);

/* Whether the function of that name is worth a row of a table. */
static inline bool
sums_tells(const struct sums *s, uint32_t id)
{
	return (double)(s->v[id].of[0] + s->v[id].of[1]) >= s->least;
}

#endif
