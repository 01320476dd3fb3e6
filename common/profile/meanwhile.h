/* SPDX-License-Identifier: ISC */
/*
 * Counts what other CPUs do while one CPU is in a function: the stacks of
 * captures in which another stack has a frame that matches.
 */
#ifndef KST_MEANWHILE_H
#define KST_MEANWHILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pattern/pattern.h"

struct fold;
struct in;

/* How many frames of one capture are kept; a stack beyond is a fault. */
enum { MEANWHILE_MAX = 1 << 24 };

/* Private to common/profile; all zero at first. */
struct meanwhile {
	/* of the capture that is read: its stacks, their names one after the
	 * other, and how many stacks match, wanted or not */
	struct meanwhile_stack {
		uint32_t n; /* names */
		int64_t cpu;
		bool matches, truncated;
	} * stacks;
	uint32_t *names;
	uint64_t n_match;
	size_t n_stacks, stacks_cap, n_names, names_cap;
	bool now;	  /* whether the stack that is complete now matches */
	uint8_t *matches; /* by name: 0, or 1 + a bit for each that matches */
	size_t matches_cap;
};

/* Looks at a stack that is complete, before it is known to be wanted. */
void meanwhile_look(struct fold *f);

/* Keeps a wanted stack, n names with its root frames, until its capture ends.
 */
void meanwhile_keep(struct fold *f, struct in *in, size_t n, bool truncated);

/* The capture has ended: counts its stacks. */
void meanwhile_end(struct fold *f, struct in *in);

void meanwhile_done(struct meanwhile *m);

#endif
