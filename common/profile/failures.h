/* SPDX-License-Identifier: ISC */
/*
 * How many samples failed in each piece of time: lines of folded text,
 * kst-folded(5), such as `# kst [12.300s] failed=3`.
 */
#ifndef KST_FAILURES_H
#define KST_FAILURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pieces;

struct failure {
	char piece[32];	 /* its frame; "" until failures_finish(), then */
	uint64_t number; /* the piece's number */
	uint64_t n;	 /* how many samples */
};

/* Ready when zeroed. */
struct failures {
	struct failure *v;
	size_t n, cap;
};

void failures_done(struct failures *f);

/* One more, in the piece that holds that time, ns since the first sample. */
void failures_add(struct failures *f, struct pieces *p, uint64_t ns);

/* Adds a line without its LF. Returns false if it is not such a line. */
bool failures_read(struct failures *f, const char *line, size_t len);

/* After the last one: a piece has one failure only, in the order of time. */
void failures_finish(struct failures *f, const struct pieces *p);

/* Writes the lines to the output. */
void failures_put(const struct failures *f);

#endif
