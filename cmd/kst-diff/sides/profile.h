/* SPDX-License-Identifier: ISC */
/* What both sides have in common: the weights of functions, stacks or roots. */
#ifndef PROFILE_H
#define PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"
#include "text/folded.h"

struct buf;
struct rx;
struct table;

/*
 * A key is what has a weight on both sides: a function, stack or root; all
 * stacks; or those with a name that a gate's pattern matches. Recursion is
 * counted once: a stack adds to a function's total only once, however often the
 * function is in it. A part is a file, or some captures.
 */
#define PROFILE_KEYS(X)                 \
	X(PROFILE_FUNCTION, "function") \
	X(PROFILE_STACK, "stack")       \
	X(PROFILE_ROOT, "root")
enum profile_by { PROFILE_KEYS(OPT_ID) };

/* One trace a side becomes so many parts, unless it has fewer captures. */
enum { PROFILE_BATCHES = 8 };

enum { KEY_ALL }; /* the gates' keys are 1 and so on, then come the others */

/* Of profile_calls(): of a key, the calls of each side. */
struct profile_call {
	struct count calls[2];
	/*
	 * The self weight of its calls after, before and after, of stacks that
	 * have calls on both sides, and how many calls these are.
	 */
	double cost[2], compared;
	/*
	 * The same self weight on stacks where it has no calls, but a caller
	 * has: it was jumped to, or inlined. It is in the caller's cost, too.
	 */
	double jumped[2];
};

struct profile_key {
	struct count weight[2][2]; /* of each side: total, self */
	/* private */
	size_t cell[2];	    /* of each side the first, once all is read */
	size_t last_cell;   /* until then, the newest one */
	uint32_t last_seen; /* the stack that added to it last */
};

struct profile {
	struct table *table;
	struct profile_key *keys;
	uint32_t first, n_keys; /* the first that is not a gate's */
	enum profile_by by;
	struct profile_side {
		uint32_t n_parts;
		/* once all is read: weight, and share of the side's time */
		double *part_total, *part_time;
		/* private */
		struct profile_cell {
			uint32_t key, part;
			double weight[2];
		} * cells; /* of each key and part that have weight */
		size_t n_cells, cap;
		uint64_t part_len; /* captures a part */
		bool by_captures;
	} side[2];
	/* private */
	struct rx *const *patterns;
	uint32_t n_patterns;
	uint64_t *matches; /* by name: a bit for each pattern */
	size_t n_matches, matches_cap, keys_cap;
	int now; /* the side that is read */
	bool of_calls;
	struct profile_stack {
		double self[2], calls[2];
		size_t of; /* frames of the function whose cost it is; or 0 */
	} * stacks;	   /* for profile_calls() */
	struct profile_call *call; /* by key */
	size_t stacks_cap, call_cap;
	bool by_calls;
	const uint64_t *capture;
	uint64_t last_capture, in_part;
	uint32_t serial; /* of the stack that is added */
};

/* The patterns, at most 64, are not copied. */
void profile_init(struct profile *p, enum profile_by by,
    struct rx *const *patterns, uint32_t n_patterns);
void profile_done(struct profile *p);

/*
 * What is added to p->table from here on belongs to that side, 0 or 1. With
 * *capture, a number that changes with each capture, there are PROFILE_BATCHES
 * parts of as many captures each. Without it (NULL) only profile_end_part()
 * ends a part.
 */
void profile_begin(struct profile *p, int side, const uint64_t *capture);

/*
 * What is added from here on are calls of that side's functions, each on a
 * stack whose leaf is the function. They add to no weight.
 */
void profile_calls(struct profile *p, int side);

/* The calls of a key; all 0 if there are none. */
const struct profile_call *profile_call(const struct profile *p, uint32_t key);

/* Before what follows is added: its calls will be, too. */
void profile_want_calls(struct profile *p);

/* Ends the part, whose weight may be 0. */
void profile_end_part(struct profile *p);

/*
 * Takes both sides from the table's two counts, a part each, for a table that
 * was filled without profile_begin().
 */
void profile_from_table(struct profile *p);

/* To be called after the last file. */
void profile_end(struct profile *p);

const struct count *profile_total(const struct profile *p, int side);

/* A key's weight in each part of a side; free() it. */
double *profile_parts(
    const struct profile *p, int side, uint32_t key, bool self);

/* Appends the name of a key that is not a gate's. */
void profile_name(const struct profile *p, uint32_t key, struct buf *b);

/* Compares two of these names, byte by byte: below 0, 0, or above. */
int profile_compare(const struct profile *p, uint32_t a, uint32_t b);

#endif
