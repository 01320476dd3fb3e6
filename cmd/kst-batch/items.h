/* SPDX-License-Identifier: ISC */
/* The captures of a run, and what is known of each from the last time. */
#ifndef ITEMS_H
#define ITEMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* Why an output is to be made; WHY_NOT: it is up to date. */
enum why { WHY_NOT, WHY_NEW, WHY_INPUT, WHY_OPTIONS, WHY_OUTPUT, WHY_FORCED };

/* What was recorded when an output was made. */
struct record {
	char *rel;	      /* NULL: nothing is recorded */
	uint64_t key;	      /* steps_key() of the folded text */
	uint64_t svg_key;     /* and of the picture, 0: there is none */
	uint64_t size, mtime; /* of the capture */
	uint64_t folded, svg; /* bytes of the outputs */
	uint64_t captures, stacks;
	bool faulty;
	char *messages;
};

struct item {
	char *path; /* to open, absolute */
	char *rel;  /* of the outputs, without .folded; into path if it can */
	uint64_t size, mtime;
	enum why why;
	bool draw_only; /* the folded text is up to date, the picture not */
	uint64_t work;	/* bytes of text, to share it out by: a guess */
	uint32_t parts, parts_done; /* > 0: taken apart */
	uint32_t said;		    /* messages */
	bool done, failed;
	struct record rec; /* of last time; this time's when done */
};

struct items {
	struct item *v; /* sorted by rel */
	size_t n, cap;
	uint64_t unreadable; /* operands and folders that could not be read */
};

/*
 * Finds the captures: an operand that is a folder stands for all regular
 * files below it, but for the files and folders `own` (NULL-ended), which the
 * command writes itself, names that begin with .kst-batch, and folders below
 * it that have results of other runs. What cannot be
 * read is reported and counted; an operand of its own ends the command.
 */
void items_find(
    struct items *t, char **operands, int n, const char *const *own);
void items_done(struct items *t);

/* Ends the command when two captures have the same output. */
void items_check(const struct items *t);

/*
 * The log of what was made, OUT/.kst-batch/state: reads it into the items. The
 * outputs are looked for, as they may be gone.
 */
struct state;
struct state *state_open(const char *out, bool writable);
void state_load(struct state *s, struct items *t);
/* Records an item's rec; -1 with errno. */
int state_put(struct state *s, const struct record *r);
void state_close(struct state *s);

/* A record of a sum, which is no item: NULL when there is none. */
const struct record *state_find(const struct state *s, const char *rel);

#endif
