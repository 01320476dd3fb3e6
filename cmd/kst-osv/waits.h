/* SPDX-License-Identifier: ISC */
/*
 * What happens while a thread is in sched_wait: the time that its CPU was idle,
 * or the time from its sched_wake on. Both become spans within sched_wait.
 */
#ifndef WAITS_H
#define WAITS_H

struct moment;
struct track;
struct tracks;
struct waits;

struct waits *waits_new(void);
void waits_free(struct waits *w);

/* The track's thread waits, once the begin is written. */
void waits_begin(struct tracks *t, struct track *tr, const struct moment *m);

/* It runs again; before the end is written. */
void waits_end(struct tracks *t, struct track *tr, const struct moment *m);

/* Its CPU became idle or busy, or a thread was woken. */
void waits_note(struct tracks *t, const struct moment *m);

/* At the log's end. */
void waits_finish(struct tracks *t, const struct moment *m);

#endif
