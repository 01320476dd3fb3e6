/* SPDX-License-Identifier: ISC */
/*
 * Reads what btrace(8) and bpftrace print: gathers each stack's text with its
 * weight; recognises and counts histograms, other maps and messages.
 *
 * Print forms (dt(4)'s eras: A early 2020; B 2020 and later; C newest):
 *
 * 	A  @[f1 LF f2 LF]: N		printf %s1: f1 LF f2 LF 1
 * 	B  @[LF f1 LF f2]: N		LF f1 LF f21
 * 	C  @[LF f1 LF f2 LF kernel LF]: N	LF f1 LF f2 LF kernel LF 1
 *
 * bpftrace writes its maps as B with indentation and an LF before `]`.
 */
#ifndef GATHER_H
#define GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bcc.h"
#include "base/buf.h"
#include "keys/folding.h"
#include "io/fault.h"

/* The longest text of a key; the rest is dropped. */
enum { KEY_MAX = 1 << 20 };

enum gather_fault {
	GATHER_NO_VALUE, /* a stack whose `]: N` was lost */
	GATHER_BAD_VALUE,
	GATHER_BAD_JSON,
	GATHER_TOO_LONG,
	GATHER_OVERFLOW,
	GATHER_N_FAULTS
};

struct gather_counts {
	uint64_t stacks;
	uint64_t other_maps; /* of these, of maps that are not wanted */
	uint64_t cut;	     /* of these, cut at a map key's limit */
	uint64_t entries;    /* map entries without a stack */
	uint64_t histograms; /* of values whose key has no stack */
	uint64_t messages;   /* of the tracer: Attaching, ^C … */
	uint64_t others;     /* unknown lines */
	uint64_t lost;	     /* events lost, says the tracer */
};

/*
 * Empty lines between the samples of `printf("%s%s
 *
 * ", kstack, ustack)`. A sample ends with an empty line, and each stack begins
 * with one, even an empty stack; older versions of bpftrace print no line for
 * an empty stack. So a sample without frames is three more lines, or one. If
 * each sample has one stack, it is two.
 */
struct gap {
	uint64_t lines; /* lines since the last frame */
	bool inside;	/* a sample came before them */
	bool single;	/* it has one stack with frames */
	bool tight;	/* no line too many came before it */
	bool old;	/* none too many is around such a sample */
	bool pairs;	/* a sample has two stacks */
	bool odd;	/* somewhere an odd number of lines is too many */
	uint64_t more, threes; /* lines too many; three at once */
};

struct gather {
	const struct options *o;
	const struct in *in; /* for messages */
	struct folding *stacks;
	struct gather_counts n;
	struct fault faults[GATHER_N_FAULTS];
	/* private */
	int state;
	struct bcc bcc;
	struct buf key; /* a map's name and `[` (map_len), a stack's text */
	size_t map_len;
	struct buf names; /* DTrace's keys before a stack; bcc's process */
	uint64_t hist_sum, hist_rows;
	struct gap gap;
	size_t second;	 /* where the second of two stacks that wait begins */
	bool closed;	 /* an empty line came after the last one */
	bool ends_twice; /* samples end in two empty lines */
	/* The line before was 'n', a stack's number, or 'b', empty, outside of
	 * a stack; else 0. */
	char after;
	bool dtrace;	/* a frame was DTrace's */
	bool keys;	/* DTrace's keys came after the last frame */
	bool keys_last; /* in this file a key came last, before the weight */
	/* Where the last of these keys begins, if it may be the weight. */
	size_t weighed;
	uint64_t weight;
	bool indented;	/* the key's frames are: it is not btrace's */
	char mode_seen; /* 'k' or 'u': the last stack has its trailer */
	bool too_long;
};

void gather_line(struct gather *g, const char *line, size_t len);

/* To be called at the end of a file: gives the open stack, or a fault. */
void gather_end(struct gather *g);

/* Histograms, bcc's output and bpftrace's JSON, private to gather.c -------- */

enum { GATHER_TEXT, GATHER_KEY, GATHER_HIST, GATHER_BCC };

#endif
