/* SPDX-License-Identifier: ISC */
/*
 * Pieces of time as root frames, kst-folded(5): `[12.300s]`. The number of
 * digits is known at the end only; until then a piece has a name that frames
 * cannot have.
 */
#ifndef KST_PIECES_H
#define KST_PIECES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct table;

/* Zero-initialised but for the width; owns nothing. */
struct pieces {
	uint64_t width; /* of a piece in ns, > 0 */
	/* private */
	bool any;
	uint64_t piece, last; /* the one with `name`; the greatest one */
	uint32_t name;
};

/* The number of the piece that holds that time, ns since the first sample. */
uint64_t pieces_number(struct pieces *p, uint64_t ns);

/* The table's name for the piece that holds that time, ns since the first. */
uint32_t pieces_name(struct pieces *p, struct table *t, uint64_t ns);

/* After the last time: appends the frame of a piece, at most 31 bytes. */
void pieces_text(const struct pieces *p, uint64_t number, struct buf *b);

/* Whether a frame is a piece of time; the nanoseconds where it begins. */
bool pieces_is(const char *frame, size_t len, uint64_t *ns);

/* Gives pieces their final names: each is the frame `at` of its stacks. */
void pieces_finish(struct pieces *p, struct table *t, size_t at);

/*
 * How many samples failed in each piece: lines of folded text such as
 * `# kst [12.300s] failed=3`.
 */
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
