/* SPDX-License-Identifier: ISC */
/*
 * A tree whose root frames are pieces of time, kst-folded(5): how busy each
 * CPU was in each, and the tree without time.
 */
#ifndef WHEN_H
#define WHEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "frames/weight.h"

struct failures;
struct trailer;
struct tree;

/* More CPUs than this share one row, as do those of more cells. */
enum { WHEN_ROWS_MAX = 64, WHEN_CELLS_MAX = 1 << 20 };

/* Samples that failed in a piece, which need not be one of the tree's. */
struct when_failure {
	uint64_t at, n; /* at: where the piece begins, ns */
};

struct when {
	uint32_t n;	/* pieces */
	uint64_t *at;	/* of each, ns; they rise */
	uint64_t width; /* of a piece, ns */
	uint32_t n_rows;
	uint32_t *cpu;	    /* of each row, rising; NULL: one row for all */
	weight *all, *busy; /* of each row and piece, row by row */
	weight most;	    /* the greatest of `all` */
	bool knows_idle;    /* some stacks are under `halted` */
	struct when_failure *failed;
	size_t n_failed;
	uint64_t end;	     /* of the last piece, ns */
	struct tree *merged; /* shares the names of the tree */
};

/* NULL if the root frames are something else. The caller frees it. */
struct when *when_new(const struct tree *t, const struct trailer *trailer,
    const struct failures *failures);
void when_free(struct when *w);

/* How busy a row was in a piece: 0 to 1; -1 where nothing is known. */
double when_busy(const struct when *w, uint32_t row, uint32_t piece);

#endif
