/* SPDX-License-Identifier: ISC */
/*
 * What is known of a text that came before: of a frame's, or of all lines of a
 * stack after its first. The hot path of every filter that reads trace text.
 *
 * The same frame comes millions of times. Where little repeats, keeping each
 * text would cost more than it saves: ask memo_again() whether it came before.
 *
 * The memory is bounded: a text that does not fit takes the place of another.
 * An entry lives until another one is added.
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
 * the lines that this begins with; NULL if there is none.
 */
struct memo_entry *memo_find(
    struct memo *m, uint64_t hash, const char *text, size_t len);

/* Adds a text that memo_find() did not find; not one that is very long. */
struct memo_entry *memo_add(
    struct memo *m, uint64_t hash, const struct memo_text *t);

/* An entry without its text, which is never found: that need not be kept. */
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
