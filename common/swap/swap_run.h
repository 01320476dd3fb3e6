/* SPDX-License-Identifier: ISC */
/* The two runs of --base, and what compares them. */
#ifndef KST_SWAP_RUN_H
#define KST_SWAP_RUN_H

#include <stddef.h>

#include "swap/swap.h"

/*
 * Runs one of kst's commands, whose words are freed, and hands on a wish to
 * end, as job_wait() does not. Its output goes to the file `to`, or, if that is
 * NULL, to ours. Returns an exit status.
 */
int swap_run(struct words *w, const char *to);

/*
 * What kst-diff has found in its table, of swap_diff(), which runs it as
 * swap_run() does.
 */
struct swap_found {
	size_t slower, faster; /* rows */
	double weight[SWAP_SIDES];
	/* whose changed code costs more in each call; empty: none, or its name
	   would be none of a pattern or a shell */
	char dearer[256];
};
int swap_diff(struct words *w, struct swap_found *found);

/*
 * Runs the command with its own kernel, after which s->own is known, and, if
 * that went well, with the other; `words` adds the words of each run. `end` is
 * an option that would end a run, to say that none was given; NULL: one was.
 * What the guests say goes to the standard error. Returns an exit status; a
 * wish to end is EXIT_FAILED.
 */
int swap_both(struct swap *s, const char *end,
    void (*words)(void *arg, int side, struct words *w), void *arg);

#endif
