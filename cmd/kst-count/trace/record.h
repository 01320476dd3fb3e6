/* SPDX-License-Identifier: ISC */
/*
 * The file that the plugin fills for --trace: a head, records of calls and
 * exceptions in the order of time, as trace/pack.h has them, and spans. Plugin
 * and command are built together.
 */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stdint.h>

enum { TRACE_ONLY = 256, TRACE_CPUS = 1024, TRACE_STACKS = 4096 };

/* What is asked for; zero: nothing. */
struct trace_ask {
	bool on;
	bool only_given;
	uint32_t n_only;
	uint64_t only[TRACE_ONLY]; /* where the functions of --only begin */
	uint64_t depth;		   /* spans that may be open; 0: any number */
	uint64_t last;	/* instructions before the end; 0: all of the range */
	uint64_t least; /* shorter calls are left out */
	char path[64];	/* of the file */
};

enum span_kind {
	SPAN_NONE, /* nothing that is wanted is open; numbers 0 and 1 */
	SPAN_BASE, /* code at the bottom of a stack, which nobody called */
	SPAN_CALL,
	SPAN_TRAP, /* the handler of an exception */
	SPAN_LOST  /* callers that are not known */
};

/* A call on what was open around it. */
struct trace_span {
	uint64_t addr; /* its first instruction */
	uint32_t parent, kind;
};

enum {
	/* The innermost span has just begun. */
	RECORD_FRESH = 1,
	/* So has the stack. */
	RECORD_BORN = 2,
	/* How a stack was when the records begin. */
	RECORD_BEFORE = 4
};

/* From a time on, a CPU is on a stack, and this is its innermost span. */
struct record {
	uint64_t time; /* instructions of all CPUs */
	uint32_t span;
	uint16_t stack;
	uint16_t cpu : 12, flags : 4;
};

struct trace_head {
	uint64_t size;	     /* of this struct; 0: the file is not whole */
	uint64_t begin, end; /* time */
	uint64_t records, bytes, spans; /* bytes: of the records */
	uint64_t dropped; /* calls with a stack beyond the limit of spans */
};

#endif
