/* SPDX-License-Identifier: ISC */
/* Private to the room: whether a caller that was found has called. */
#ifndef KST_PROOF_H
#define KST_PROOF_H

#include "unwind/walk.h"

/* The most pairs that are kept. */
enum { PROOF_PAIRS = 4096 };

/* A function's place, and where it returns to: that was looked at. */
struct proof_pair {
	const struct unwind_module *m;
	uint64_t from, pc;
};

/*
 * Whether the call that returns to `pc` may lead to the function that was left:
 * a direct call leads to it, or to code that jumps to it. What is not known may
 * lead anywhere.
 */
bool proof_leads(struct walk *w, uint64_t pc);

#endif
