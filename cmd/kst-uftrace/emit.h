/* SPDX-License-Identifier: ISC */
/* Each record becomes a line of event text. */
#ifndef EMIT_H
#define EMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "calls.h"
#include "dat.h"
#include "data.h"
#include "perf.h"
#include "text/events.h"

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

/* A begin or an end that was not recorded; at the time of the record. */
void emit_made(struct emit *e, struct track *t, uint64_t time, bool is_exit,
    uint64_t addr);
void emit_begin(struct emit *e, struct track *t, uint64_t addr);
/* Of the span in which it is switched out. */
void emit_made_switch(
    struct emit *e, struct track *t, uint64_t time, bool is_exit);

/*
 * The track's thread was switched out or in: a span's begin or end, if it is in
 * a function.
 */
void emit_switch(struct emit *e, struct track *t, const struct perf_switch *s);

#endif
