/* SPDX-License-Identifier: ISC */
/*
 * Turns the records of --trace into begins and ends: knows what is open on each
 * track.
 */
#ifndef EMIT_H
#define EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "trace/record.h"

#define NO_TRACK UINT32_MAX
#define NO_SPAN 1 /* nothing is open */

/* What is open on a CPU or on a stack, whichever tracks are. */
struct open_track {
	uint32_t *span; /* from the outermost one */
	size_t n, cap;
	uint32_t before; /* what was open when records begin; 0: not known */
	uint16_t stack;	 /* of a CPU, the one that it is on */
	bool seen, away; /* away: it does not execute */
};

struct events {
	struct trace_head head;
	struct trace_span *span;
	uint32_t *depth; /* of each */
	uint64_t *addr;	 /* the distinct addresses of spans, sorted, */
	size_t n_addr;
	struct piece *name; /* of each span, escaped */
	struct buf names;
	bool by_stack;
	struct open_track *track;
	size_t n_tracks, cap_tracks;
	uint32_t running; /* the track that executes, or NO_TRACK */
	bool begun;	  /* what was before all records has been told */
	bool any;	  /* a call or exception was written */
};

/* Takes the next record, and writes what begins and what ends by it. */
void emit_record(struct events *e, const struct record *r);

/* Ends everything that is open, and frees the tracks. */
void emit_end(struct events *e);

#endif
