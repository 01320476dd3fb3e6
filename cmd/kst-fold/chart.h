/* SPDX-License-Identifier: ISC */
/*
 * --order time: each CPU's or thread's stacks one after the other, as long as
 * they last. A sample lasts until the next capture or, where that comes late,
 * as long as captures are apart in general; then a gap follows.
 */
#ifndef CHART_H
#define CHART_H

#include <stdbool.h>

#include "profile/fold.h"

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

#endif
