/* SPDX-License-Identifier: ISC */
/* The tracks, and how each record becomes a line of event text. */
#ifndef EMIT_H
#define EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "dat.h"
#include "data.h"
#include "text/events.h"

/* Open calls by address, the innermost last. */
struct calls {
	uint64_t *addr;
	size_t n, cap;
	uint64_t more; /* deeper ones */
};

/* A .dat file, and what all its lines share. */
struct track {
	struct dat dat;
	uint64_t tid;
	char *name; /* escaped */
	size_t name_len;
	/* "\tNAME\tB\t", and the same with E; room to be copied in blocks */
	char *line[2];
	size_t line_len;
	uint64_t session_until; /* until then; 0 = look it up */
	uint64_t open;		/* open functions, about */
	const char *switched; /* the open span of being switched out, or NULL */
	uint32_t space;	      /* of the session at the current time */
	struct kin *kin;      /* of processes that fork or were forked */
	/* with a range of time: */
	struct calls calls, inside; /* inside: the kernel's */
	bool more, left;	    /* records; in the range */
};

struct forks;
struct range;

struct emit {
	const struct data *data;
	struct cached *cache; /* private */
	struct buf text, args;
	uint64_t base; /* a time, and its digits but the last 8 */
	char base_text[12];
	size_t base_len;
	struct range *range; /* NULL: all */
	bool quiet;	     /* read, and write nothing */
};

/* The range may be NULL. */
void emit_init(struct emit *e, const struct data *d, struct range *range);
void emit_done(struct emit *e);

/* Sets the track's name (plain text). */
void emit_track(struct track *t, const char *name);

/* Writes the track's record, if it is in the range, and skips its payload. */
void emit_record(struct emit *e, struct track *t);

/* An event of the track, with e->args, if it is in the range. */
void emit_event(struct emit *e, const struct track *t, uint64_t time,
    enum event_kind kind, const char *name, size_t len);

/* At that time so many records were lost; NULL: unknown. */
void emit_lost(
    struct emit *e, const struct track *t, uint64_t time, const uint64_t *n);

/* e->args of an event that was not recorded. */
void emit_repaired(struct emit *e);

/* A begin or an end that was not recorded; at the time of the record. */
void emit_made(struct emit *e, struct track *t, uint64_t time, bool is_exit,
    uint64_t addr);
void emit_begin(struct emit *e, struct track *t, uint64_t addr);
/* Of the span in which it is switched out. */
void emit_made_switch(
    struct emit *e, struct track *t, uint64_t time, bool is_exit);

/*
 * The track's thread was switched out, as `span` says, or (NULL) in: the begin
 * or end of a span, if it is in a function.
 */
void emit_switch(
    struct emit *e, struct track *t, uint64_t time, const char *span);

/*
 * In cut.c, a range of time: what was before it is read and not written, but
 * for the functions that are open when it begins; reading ends where it ends.
 */

void calls_push(struct calls *c, uint64_t addr);
/* The ends of the calls within may be lost. */
void calls_pop(struct calls *c, uint64_t addr);

/* The range begins with what is open on the track. */
void cut_enter(struct emit *e, struct track *t);

/*
 * Before the range: skips the track's records up to that time which need no
 * more than a look, and sets t->more. Returns false if the first one does.
 */
bool cut_skip(struct track *t, uint64_t limit);

/* The track's record; t->left is set if it is after the range. */
void cut_record(struct emit *e, struct track *t);

/*
 * In forks.c. Forked processes go on in the functions that their parent was in:
 * the first record of such a child is the end of the call that forked, which
 * only the parent's records begin.
 *
 * After the first record of each track was read, forks_new() links the tracks
 * of children and of the processes that forked them; NULL if there are none.
 * forks_note() comes before a record of a linked track is written.
 */
struct forks *forks_new(
    const struct data *d, struct track *tracks, size_t n_tracks);
void forks_free(struct forks *f);
void forks_note(struct emit *e, struct track *t);

#endif
