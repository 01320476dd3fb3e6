/* SPDX-License-Identifier: ISC */
/* Says how a count has ended, by the plugin's lines about that. */
#ifndef ENDING_H
#define ENDING_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct options;

/* What the plugin's first line about the end says, in its order. */
struct ending {
	int why, begun;
	uint64_t insns, stacks, all, lost;
	int seen; /* the file's code was */
	uint64_t by;
	int home; /* it then went on where it is linked */
	uint64_t rootless, judged, differ;
};

/*
 * Reads the plugin's lines. Returns false if they do not say it; numbers that
 * they do not have are 0.
 */
bool ending_of(const struct buf *lines, struct ending *e);

/*
 * Says why the count ended, how much it was, and on which stack each CPU was;
 * `names` is as the lines, but named. `asked`: by a signal. *empty: the range
 * that was asked for never came. Returns EXIT_OK or EXIT_FAILED.
 */
int ending_say(const struct options *o, const struct buf *lines,
    const struct buf *names, bool asked, bool at_line, bool *empty);

#endif
