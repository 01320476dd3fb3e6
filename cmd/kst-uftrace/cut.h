/* SPDX-License-Identifier: ISC */
/*
 * A range of time: what was before it is read and not written, but for the
 * functions that are open when it begins; reading ends where it ends.
 */
#ifndef CUT_H
#define CUT_H

#include <stdbool.h>
#include <stdint.h>

struct emit;
struct track;

/* The range begins with what is open on the track. */
void cut_enter(struct emit *e, struct track *t);

/*
 * Before the range: skips the track's records up to that time which need no
 * more than a look, and sets t->more. Returns false if the first one does.
 */
bool cut_skip(struct track *t, uint64_t limit);

/* The track's record; t->left is set if it is after the range. */
void cut_record(struct emit *e, struct track *t);

#endif
