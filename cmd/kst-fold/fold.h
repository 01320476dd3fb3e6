/* SPDX-License-Identifier: ISC */
/* The parts of kst-fold beside common/profile. */
#ifndef FOLD_H
#define FOLD_H

#include <stdbool.h>
#include <stdint.h>

#include "profile/profile.h"

/*
 * chart.c: --order time, each CPU's or thread's stacks one after the other, as
 * long as they last. A sample lasts until the next capture or, where that comes
 * late, as long as captures are apart in general; then a gap follows.
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
 * length.c: how long pieces of time are where nobody says it. In ns: 1, 2 or 5
 * of a power of ten, so that the captures of all files make up to 200 pieces,
 * and no more than there are captures; a second where a file cannot be read
 * twice.
 */
uint64_t length_of_pieces(char **operands, int n);

/*
 * sorted.c: whether an operand is a regular file of folded text as struct fold
 * has it as sorted: every line as kst writes it, in order, with one count.
 * Looks at no more than the lines up to the first that is not. plain: two
 * numbers are one count, too. *size: the bytes of which this is true; the file
 * may grow.
 */
bool sorted_file(char **operand, bool plain, uint64_t *size);

/*
 * want.c: which stacks are wanted. Options: --by, into struct fold_options;
 * --from and --to, into a limit.
 */
int fold_by_option(void *options, const char *arg, struct buf *err);
int fold_limit_option(void *limit, const char *arg, struct buf *err);

/*
 * At the end: says which parts of the input that options ask for are missing,
 * with `verbose` what was counted, and gives the counts of --summary-fd.
 */
void fold_say(const struct fold *f, const struct in *in, bool verbose);

#endif
