/* SPDX-License-Identifier: ISC */
/*
 * Pieces of time as root frames, kst-folded(5): `[12.300s]`. The number of
 * digits is known only at the end. Until then a piece has a name that no frame
 * can have.
 */
#ifndef KST_PIECES_H
#define KST_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table;

/* Zero-initialised but for the width; owns nothing. */
struct pieces {
	uint64_t width; /* of a piece in ns, > 0 */
	/* private */
	bool any;
	int64_t piece, last; /* the one with `name`; the greatest one */
	int64_t before;	     /* how many are before that of the first sample */
	uint32_t name;
};

/*
 * The table's name for the piece that holds a time. Number 0 begins with the
 * first sample; a later file may have samples before it.
 */
uint32_t pieces_name(
    struct pieces *p, struct table *t, uint64_t first, uint64_t time);

/* Whether a frame is a piece of time; the nanoseconds where it begins. */
bool pieces_is(const char *frame, size_t len, uint64_t *ns);

/* Gives pieces their final names: each is the frame `at` of its stacks. */
void pieces_finish(const struct pieces *p, struct table *t, size_t at);

/*
 * How many samples failed in each piece: lines of folded text such as
 * `#kst:[12.300s],failed=3`.
 */
struct failure {
	char piece[32]; /* its frame; "" until failures_finish(), then */
	int64_t number; /* the piece's number */
	uint64_t n;	/* how many samples */
};

/* Ready when zeroed. */
struct failures {
	struct failure *v;
	size_t n, cap;
};

void failures_done(struct failures *f);

/*
 * Counts one more failure, in the piece that holds that time, or else in the
 * earliest one.
 */
void failures_add(
    struct failures *f, struct pieces *p, uint64_t first, uint64_t time);

/* Adds a line without its LF. Returns false if it is not such a line. */
bool failures_read(struct failures *f, const char *line, size_t len);

/*
 * To be called after the last line: sorts by time, and adds up the failures of
 * each piece.
 */
void failures_finish(struct failures *f, const struct pieces *p);

/* Writes the lines to the output. */
void failures_put(const struct failures *f);

#endif
