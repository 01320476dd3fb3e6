/* SPDX-License-Identifier: ISC */
/*
 * From records to event text. X is the begin of a span and X_ret, X_err its
 * end, but nothing in an X says whether an end will come. So records are held
 * back until the log has shown it: an end of X makes it a begin, and all that
 * come later go straight through; where none comes within the window it is an
 * instant.
 *
 *	thread (name)  ->  tracks, one each for threads of the same name
 *	track          ->  its open spans, innermost last
 */
#ifndef EMIT_H
#define EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct record;
struct selection;

struct emit_options {
	const struct selection *select;
	bool like_trace_py; /* its pairing: see kst-osv(1) */
	bool no_cpu;	    /* no `cpu=N` in ARGS */
	bool list;	    /* write no events, count names only */
};

/* What had to be guessed or repaired. */
struct emit_counts {
	uint64_t records;   /* selected */
	uint64_t no_begin;  /* ends whose begin is not in the log */
	uint64_t no_end;    /* begins whose end is not, closed by another's */
	uint64_t open;	    /* begins whose end had not come at the log's end */
	uint64_t backwards; /* times lower than the track's before; raised */
	uint64_t shared;    /* names that several threads have at once */
	uint64_t nested;    /* where trace.py would give up */
	uint64_t untimed;   /* records that trace.py does not time */
	uint64_t too_many;  /* records of threads or names beyond the limits */
	uint64_t last_time;
};

struct emit;

struct emit *emit_new(const struct emit_options *opt);
void emit_free(struct emit *e);

void emit_record(struct emit *e, const struct record *r);

/* Whether records are held back; emit_release() lets them go. */
bool emit_holds(const struct emit *e);
void emit_release(struct emit *e);

/* The end of a log: releases, and forgets the spans that are open. */
void emit_end(struct emit *e);

/* The names with their counts, `NAME COUNT`, sorted. */
void emit_list(const struct emit *e);

const struct emit_counts *emit_counts(const struct emit *e);

#endif
