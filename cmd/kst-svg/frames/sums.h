/* SPDX-License-Identifier: ISC */
/* Adds up the functions, for build.c. */
#ifndef SUMS_H
#define SUMS_H

#include <stdbool.h>
#include <stddef.h>

#include "frames/tree.h"

/* A frame that is open, or a leaf that is held. */
struct open {
	size_t end; /* in the text */
	/*
	 * at: the least place so far; total: of all when it was opened; name:
	 * if there are sums
	 */
	struct frame f;
	bool is_outer; /* no frame below it has the same name */
};

void sums_free(struct sums *s); /* s may be NULL */

/* A frame with a name is opened: returns whether its total counts. */
void sums_open(struct sums *s, struct open *o);

/*
 * A frame is closed: the first function adds nothing, the second adds its
 * weights.
 */
void sums_close(struct sums *s, const struct open *o);
void sums_end(struct sums *s, const struct open *o, bool reverse);

/*
 * Adds the frames that are closed, while the tree still has all of them, and
 * that many frames are open and have names. Afterwards these are not marked as
 * open.
 */
void sums_add_tree(struct sums *s, const struct tree *t,
    const struct open *open, size_t n_open, bool reverse);

/*
 * Marks frames that are open already. For leaves that are held, counts the
 * totals.
 */
void sums_mark(struct sums *s, struct open *open, size_t n_open,
    struct open *held, size_t n_held);

#endif
