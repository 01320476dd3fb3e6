/* SPDX-License-Identifier: ISC */
/* How many stacks were not unwound to their ends, and why. */
#ifndef ENDS_H
#define ENDS_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

enum { ENDS_KINDS = 8 };

/* Zero it to begin. */
struct ends {
	uint64_t n[ENDS_KINDS], all;
};

/* Counts a stack by the line that says why it is truncated (kst-trace(5)). */
void ends_note(struct ends *e, const char *line, size_t len);

void ends_add(struct ends *to, const struct ends *e);

/* ` truncated=12 truncated-memory=12`: those that there are. */
void ends_put(const struct ends *e, struct buf *b);

/* `12 memory that cannot be read, 3 …` */
void ends_words(const struct ends *e, struct buf *b);

#endif
