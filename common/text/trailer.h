/* SPDX-License-Identifier: ISC */
/*
 * The trailer of folded text, kst-folded(5): `#kst:key=value,...`. Several
 * lines are merged key by key, to the sum, the least, the greatest or the
 * common value. A key is dropped if a line lacks it, or if its values cannot be
 * merged. The lines of a run's parts have a key `part`: one of them is enough
 * for what holds for the whole run.
 */
#ifndef KST_TRAILER_H
#define KST_TRAILER_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct count;

/* Keys a line may have, and bytes of a key or value; the rest is ignored. */
enum { TRAILER_KEYS = 32, TRAILER_TEXT = 128 };

struct trailer_pair {
	char key[TRAILER_TEXT];
	char value[TRAILER_TEXT]; /* "": values that cannot be merged */
	unsigned lines;
};

/* Zero-initialised it is empty, and owns nothing. */
struct trailer {
	struct trailer_pair pair[TRAILER_KEYS];
	size_t n;
	unsigned lines;
	bool part;
};

/*
 * Adds a line without its LF. Returns false if it is not a trailer; the line of
 * a piece of time is not.
 */
bool trailer_read(struct trailer *t, const char *line, size_t len);

/* Adds an input without a trailer: all keys are gone. */
void trailer_add_none(struct trailer *t);

/* The value of a key, valid until t changes, or NULL. */
const char *trailer_get(const struct trailer *t, const char *key);

/* The value as a decimal number; false if there is none. */
bool trailer_count(const struct trailer *t, const char *key, struct count *c);

/* Whether lines had different units, so that weights cannot be added. */
bool trailer_mixed(const struct trailer *t);

/* Sets a key; a value of NULL takes it out. Blanks in the value become `_`. */
void trailer_set(struct trailer *t, const char *key, const char *value);

/* Appends the line with its LF, or nothing if there is no key. */
void trailer_put(const struct trailer *t, struct buf *b);

#endif
