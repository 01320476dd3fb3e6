/* SPDX-License-Identifier: ISC */
/* The parts of kst-fold beside common/profile. */
#ifndef FOLD_H
#define FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/*
 * chart.c: --order time, the stacks of each CPU or thread one after the other,
 * as long as they last. A sample lasts until the next capture. If that comes
 * late, the sample lasts as long as captures are apart in general, and a gap
 * follows.
 */
struct chart;

/* Ends the command if options do not fit; puts a track first in --by. */
void chart_options(struct fold_options *f, bool leaf_first);

/* Takes what f counts from here on; --by has to begin with a track. */
struct chart *chart_new(struct fold *f);
void chart_free(struct chart *c);

/*
 * Writes all lines, and sets f's trailer. Returns false, after a message, if
 * times went backwards or folded text was left out.
 */
bool chart_write(struct chart *c);

/*
 * sorted.c: whether an operand is a regular file of sorted folded text: every
 * line as kst writes it, in order, with one count. Reads no further than the
 * first line that is not. plain: two numbers are one count, too. *size: the
 * bytes for which this is true; the file may grow.
 */
bool sorted_file(char **operand, bool plain, uint64_t *size);

/*
 * want.c: decides which stacks are wanted. Options: --by, into struct
 * fold_options; --from and --to, into a limit.
 */
int fold_by_option(void *options, const char *arg, struct buf *err);
int fold_limit_option(void *limit, const char *arg, struct buf *err);

/* Unless an option has given it: how long pieces of time in the files are. */
void fold_set_piece(struct fold_options *o, char **operands, int n);

/*
 * To be called at the end: says which parts of the input that options ask for
 * are missing and, with `verbose`, what was counted; and gives the counts for
 * --summary-fd.
 */
void fold_say(const struct fold *f, const struct in *in, bool verbose);

#endif
