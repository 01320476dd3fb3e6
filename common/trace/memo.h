/* SPDX-License-Identifier: ISC */
/*
 * Remembers what is known about a text that came before: the text of a frame,
 * or all lines of a stack after its first. It is the hot path of every filter
 * that reads trace text.
 *
 * The same frame comes millions of times. But where little repeats, keeping
 * each text would cost more than it saves: ask memo_again() whether the text
 * came before.
 *
 * The memory is bounded: a text that does not fit replaces another. An entry
 * lives until another one is added.
 */
#ifndef KST_MEMO_H
#define KST_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memo;

/* Open: the hot path reads the fields. */
struct memo_entry {
	uint32_t raw_len, len, value;
	char bytes[]; /* raw_len bytes of text, len of the result */
};

/* A text, what its user makes of it, and a number of the user's. */
struct memo_text {
	const char *p;
	size_t len;
	const char *result;
	size_t result_len;
	uint32_t value;
};

/* Keeps so many bytes at most, and 32,768 texts. */
struct memo *memo_new(size_t max);
void memo_free(struct memo *m);

/*
 * The entry that was added with that hash and whose text is text[0..len), or
 * begins with it if these are lines; NULL if there is none.
 */
struct memo_entry *memo_find(
    struct memo *m, uint64_t hash, const char *text, size_t len);

/* Adds a text that memo_find() did not find. A very long text is not added. */
struct memo_entry *memo_add(
    struct memo *m, uint64_t hash, const struct memo_text *t);

/*
 * An entry without its text, which is never found, for a text that need not be
 * kept.
 */
struct memo_entry *memo_pass(struct memo *m, const struct memo_text *t);

/* Whether this was asked for the same hash before, if not long ago. */
bool memo_again(struct memo *m, uint64_t hash);

/* How many entries have that hash. */
unsigned memo_alike(const struct memo *m, uint64_t hash);

static inline const char *
memo_result(const struct memo_entry *e)
{
	return e->bytes + e->raw_len;
}

#endif
