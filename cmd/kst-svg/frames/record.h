/* SPDX-License-Identifier: ISC */
/*
 * Frames that are complete, and which of them are kept: up to `keep` all, of
 * more those that are not narrower than the least share of the total. That
 * only rises while frames are added, so what is below it once need not be kept
 * until the end, and what is kept in the end does not depend on the order in
 * which frames came.
 */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stddef.h>

#include "frames/weight.h"

struct frame;
struct tree;

struct records {
	/* given */
	double min_share; /* 0 keeps all */
	bool normalize;	  /* widths are as if both totals were equal */
	size_t keep;
	/* the sum so far, which build.c counts */
	weight total[2];
	/* private */
	struct tree *tree; /* children before their parent; node 0: the root */
	size_t cap, sweep_at, names_at;
	bool sweeping; /* there have been more than `keep` */
	bool renamed;  /* siblings may have the same name */
	double least;  /* the least width when it was swept */
};

/* Fills the private part; the given one must be set. */
void records_init(struct records *r);
void records_done(struct records *r);

/*
 * Adds a frame, unless it is left out; the name is copied, that in *f is not
 * looked at; `at` is where the frame began, see build_add().
 */
void records_add(
    struct records *r, const char *name, size_t len, const struct frame *f);

/*
 * The tree of what is kept, under a root "all" of which root_self ends there.
 * by_name: siblings in the order of their names, not of the input. The caller
 * frees it with tree_free(); the records can only be freed after that.
 */
struct tree *records_tree(
    struct records *r, const weight root_self[2], bool by_name);

#endif
