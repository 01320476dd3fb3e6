/* SPDX-License-Identifier: ISC */
/* Finds the functions that have the most weight in a table of stacks. */
#ifndef RANK_H
#define RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"
#include "text/folded.h"

struct rx;
struct table;

/* Rows of callers and callees that are not functions; those follow. */
enum { RANK_NO_CALLER, RANK_NO_CALLEE, RANK_NAMES };

#define RANK_SORTS(X) \
	X(RANK_SELF, "self") X(RANK_TOTAL, "total") X(RANK_NAME, "name")
enum rank_sort { RANK_SORTS(OPT_ID) RANK_SORTS_N };

struct rank_view {
	struct rx *focus, *ignore; /* stacks with such a frame, without */
	/* instead of all functions, what is around such ones, or their lines */
	struct rx *callers, *callees, *lines;
	struct rx *middle; /* which of these is given */
	struct rx *only;   /* such rows; shares stay those of all stacks */
	size_t roots;	   /* frames of each stack that are not functions */
	int by;		   /* which of them makes groups, -1: none */
	bool tree;
	double min; /* of the tree: the least share of a node */
	enum rank_sort sort;
	size_t keep; /* at most so many rows a group; 0: all */
};

struct rank_row {
	uint32_t name; /* for rank_name() */
	/* in the tree: from 0; how many calls of itself it stands for, and 1 */
	uint32_t depth, times;
	struct count self, total;
};

struct rank_group {
	uint32_t name; /* of its root frame */
	struct count total;
	size_t row, n_rows; /* the first of them */
};

/*
 * Zero-initialised it is empty. It keeps which names the patterns match: only
 * view.only may change.
 */
struct rank {
	struct rank_row *rows; /* group after group */
	struct rank_group *groups;
	size_t n_rows, n_groups;
	struct count total; /* of the stacks that are asked for */
	uint64_t too_hard;  /* names on which a pattern takes too long */
	/* private */
	const struct table *table;
	const struct rank_view *view;
	uint8_t *bits;
	struct rank_seen *seen;
	uint32_t *stacks;	   /* that are asked for */
	uint32_t group, stack;	   /* the one that is added, from 1 */
	uint32_t slice, slice_len; /* of names: those that are added up */
	size_t rows_cap, groups_cap, bits_cap;
};

void rank_make(
    struct rank *r, const struct table *t, const struct rank_view *v);
void rank_done(struct rank *r);

/*
 * The name of a row. Among callers `[root]` stands for none, among callees
 * `[leaf]`.
 */
const char *rank_name(const struct rank *r, uint32_t name, size_t *len);

#endif
