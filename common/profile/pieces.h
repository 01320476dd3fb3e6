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

/* Gives pieces their final names: each is the frame `at` of its stacks. */
void pieces_finish(struct pieces *p, struct table *t, size_t at);

#endif
