/* SPDX-License-Identifier: ISC */
/*
 * A track's records one after the other: which calls are open, and what the
 * range of time takes of them.
 */
#ifndef TRACK_H
#define TRACK_H

#include "emit.h"

void calls_push(struct calls *c, uint64_t data);
/* Ends the innermost call that is the same above `shift` bits, and those
 * within.
 */
void calls_pop(struct calls *c, uint64_t data, unsigned shift);

/* What the task runs at the time of its record. */
void track_session(struct emit *e, struct track *t);

/*
 * Before a record, if emit.follows: ends what is over. Returns false if the
 * record is not to be written.
 */
bool track_prepare(struct emit *e, struct track *t);

/* A call that was not recorded begins, at the time of the record. */
void track_begin(struct emit *e, struct track *t, uint64_t data);

/* The track's record. */
void track_record(struct emit *e, struct track *t);

/*
 * Before the range: skips the track's records up to that time that only open a
 * call or close the innermost one, and sets t->more. False if there are none.
 */
bool track_skip(const struct emit *e, struct track *t, uint64_t limit);

/*
 * The track's thread was switched out, as `span` says, or (NULL) in: the begin
 * or end of a span, if it is in a function.
 */
void track_switch(
    struct emit *e, struct track *t, uint64_t time, const char *span);

/* Begin or end of a function of the kernel. */
void track_kernel(struct emit *e, struct track *t, uint64_t time,
    enum event_kind kind, uint64_t addr);

/* The range begins or ends with what is open on the track. */
void track_enter_range(struct emit *e, struct track *t);
void track_leave_range(struct emit *e, struct track *t);

#endif
