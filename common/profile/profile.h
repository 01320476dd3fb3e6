/* SPDX-License-Identifier: ISC */
/*
 * Two profiles side by side: the functions, stacks or roots of both, with self
 * and total weight, exact for each side and rounded for each of its parts. A
 * part is a file, or some captures. Recursion is counted once: a stack adds to
 * a function's total one time, however often the function is in it.
 */
#ifndef KST_PROFILE_H
#define KST_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/folded.h"

struct buf;
struct table;

enum profile_by { PROFILE_FUNCTION, PROFILE_STACK, PROFILE_ROOT };

/*
 * Marks are additional keys: bit i of what the function returns for one of a
 * stack's names adds the stack to mark i. It is called once for each name.
 */
typedef uint64_t profile_marks(void *arg, const char *name, size_t len);

struct profile_cell {
	uint32_t key, part;
	double self, total;
};

/* Open because who compares sides reads all of it. */
struct profile_side {
	struct profile_cell *cells; /* by key, then part, once indexed */
	size_t n_cells, cap;
	double *part_total;
	uint32_t n_parts;
	size_t parts_cap;
	struct count total;
	uint64_t part_len; /* captures a part */
	/* private: of the part that is counted, its weight and first cell */
	double now;
	size_t begin;
};

struct profile_key {
	struct count self[2], total[2]; /* of both sides */
	size_t cell[2]; /* the first of its cells, once indexed */
	/* private */
	size_t last_cell;   /* the newest one, while they are made */
	uint32_t last_seen; /* the stack that added to it last */
};

struct profile {
	struct table *table;
	struct profile_side side[2];
	/* n_marks marks, then names, stacks or root frames */
	struct profile_key *keys;
	uint32_t n_keys, n_marks;
	/* private */
	enum profile_by by;
	profile_marks *marks;
	void *marks_arg;
	int now; /* the side that is counted */
	const uint64_t *capture;
	uint64_t last_capture, in_part;
	size_t keys_cap;
	uint32_t serial; /* of the stack that is spread */
	struct profile_bits {
		uint64_t bits;
		bool known;
	} * name_marks;
	size_t name_marks_cap;
};

void profile_init(struct profile *p, enum profile_by by, uint32_t n_marks,
    profile_marks *marks, void *arg);
void profile_done(struct profile *p);

/*
 * What is added to p->table from here on belongs to that side, 0 or 1. With
 * *capture, a number that changes with each capture, a part is so many captures
 * that no side has more than 2048 parts. Without it (NULL) only
 * profile_end_part() ends a part.
 */
void profile_begin(struct profile *p, int side, const uint64_t *capture);

/* Ends the part, which may be without weight. */
void profile_end_part(struct profile *p);

/*
 * Takes both sides from the table's two counts, a part each, for a table that
 * was filled without profile_begin().
 */
void profile_from_table(struct profile *p);

/* Sorts the cells, which cannot be read before. */
void profile_index(struct profile *p);

/* A key's cells, and how many. */
const struct profile_cell *profile_cells(
    const struct profile *p, int side, uint32_t key, size_t *n);

/* Appends the name of a key that is not a mark. */
void profile_name(const struct profile *p, uint32_t key, struct buf *b);

#endif
