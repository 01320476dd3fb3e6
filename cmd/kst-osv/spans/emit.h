/* SPDX-License-Identifier: ISC */
/*
 * Writes records as event text. X begins a span, and X_ret or X_err ends it;
 * but X itself does not say whether an end will come. So records are held until
 * the log shows it. The first end makes every X a begin, written at once from
 * then on. An X whose end does not come within the window is an instant.
 *
 *	thread (name)  ->  tracks, one for each thread of that name
 *	track          ->  its open spans, innermost last
 */
#ifndef EMIT_H
#define EMIT_H

#include <stdbool.h>
#include <stdint.h>

struct osv_record;
struct selection;

/* Spans that kst-osv makes within sched_wait. */
enum { WITHIN_NOTHING, WITHIN_IDLE, WITHIN_WAKEUP };

struct emit_options {
	const struct selection *select;
	bool no_cpu;	 /* no `cpu=N` in ARGS */
	bool cpu_load;	 /* only spans of each CPU's load */
	bool list;	 /* write no events, count names only */
	bool backtrace;	 /* spans within the frames of their backtraces */
	const char *by;	 /* "cpu": below the frames, the CPU; or NULL */
	unsigned within; /* the spans to add within sched_wait */
};

/* Counts of guesses and repairs. */
struct emit_counts {
	uint64_t records;   /* selected */
	uint64_t no_begin;  /* ends whose begin is not in the log */
	uint64_t no_end;    /* begins closed by the end of another */
	uint64_t open;	    /* begins open at the log's end */
	uint64_t backwards; /* times below the track's last one; raised */
	uint64_t shared;    /* names of several threads at once */
	uint64_t too_many;  /* records of threads or names beyond the limits */
	uint64_t crowded;   /* waits beyond the limit */
	uint64_t last_time;
};

struct emit;

struct emit *emit_new(const struct emit_options *opt);
void emit_free(struct emit *e);

/* Takes a record, and sets its numbers. */
void emit_record(struct emit *e, struct osv_record *r);

/* Whether records are held; emit_release() writes them. */
bool emit_holds(const struct emit *e);
void emit_release(struct emit *e);

/*
 * To be called at the end of a log: writes all records and forgets open spans.
 */
void emit_end(struct emit *e);

/*
 * To be called at the end of all: writes the names and counts, `NAME COUNT`,
 * sorted.
 */
void emit_list(struct emit *e);

const struct emit_counts *emit_counts(const struct emit *e);

#endif
