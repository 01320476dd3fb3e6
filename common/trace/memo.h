/* SPDX-License-Identifier: ISC */
/*
 * What is known of a text that came before: of a frame's, or of all lines of a
 * stack after its first. The hot path of every filter that reads trace text.
 *
 * The same frame comes millions of times, mostly after the same frame as last
 * time, so each slot remembers that of its successor. A line is compared with
 * that first; only if it differs, its end is searched and its hash looked up.
 * Where little repeats, keeping each text would cost more than it saves: ask
 * memo_again() whether it came before.
 *
 * The memory is bounded: a text that does not fit takes the place of another.
 * An entry lives until another one is added.
 */
#ifndef KST_MEMO_H
#define KST_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "io/in.h"

struct memo;

/* Open, as entries are: the hot path reads the fields. */
struct memo_slot {
	uint32_t tag; /* half of the hash */
	bool used;    /* lately */
	struct memo_entry *entry;
	struct memo_slot *next; /* of what followed it last time, or NULL */
};

struct memo_entry {
	struct memo_slot *slot; /* NULL: not kept */
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

/* An entry that is never found, for a text that need not be kept. */
struct memo_entry *memo_pass(struct memo *m, const struct memo_text *t);

/* Whether this was asked for the same hash before, if not long ago. */
bool memo_again(struct memo *m, uint64_t hash);

static inline const char *
memo_result(const struct memo_entry *e)
{
	return e->bytes + e->raw_len;
}

enum { MEMO_ADDRESS = 22 /* bytes of `0x0123456789abcdef in ` */ };

/*
 * Whether p begins with gdb's usual address of 18 bytes without blanks and
 * control characters, and ` in `, and a name follows, unlike in
 * `0x0123456789abcdef in ?? ()`; at least MEMO_ADDRESS + 1 bytes must be
 * readable.
 */
static inline bool
memo_at_address(const char *p)
{
	const uint64_t ones = 0x0101010101010101u, highs = ones << 7;
	uint64_t a, b;
	uint32_t in_word;
	uint16_t zero_x;

	memcpy(&zero_x, p, 2);
	memcpy(&a, p + 2, 8);
	memcpy(&b, p + 10, 8);
	memcpy(&in_word, p + 18, 4);
	a = (a - ones * (' ' + 1)) & ~a & highs; /* a byte of up to ' ' */
	b = (b - ones * (' ' + 1)) & ~b & highs;
	return memcmp(&zero_x, "0x", 2) == 0 &&
	       memcmp(&in_word, " in ", 4) == 0 && (a | b) == 0 &&
	       p[22] != ' ' && p[22] != '?';
}

/*
 * If the next line is a frame with a number above *number and the text of what
 * followed prev last time, takes the line, sets *number and returns its slot;
 * the line's first 4 bytes, `#N  `, are then at *head. Otherwise takes nothing.
 */
static inline struct memo_slot *
memo_next_frame(struct in *in, const struct memo_slot *prev, uint32_t *number,
    const char **head)
{
	const char *p = in->p;
	const struct memo_entry *e = prev->next ? prev->next->entry : NULL;
	unsigned tens, ones;

	if (e == NULL ||
	    (size_t)(in->end - p) < 4 + MEMO_ADDRESS + 1 + (size_t)e->raw_len)
		return NULL;
	tens = (unsigned char)p[1] - (unsigned)'0';
	ones = (unsigned char)p[2] - (unsigned)'0';
	if (p[0] != '#' || p[3] != ' ' || p[4] == ' ' || tens > 9 ||
	    (ones > 9 && p[2] != ' '))
		return NULL;
	tens = p[2] == ' ' ? tens : tens * 10 + ones;
	*head = p;
	p += 4;
	if (memo_at_address(p))
		p += MEMO_ADDRESS;
	if (tens <= *number || p[e->raw_len] != '\n' ||
	    memcmp(p, e->bytes, e->raw_len) != 0)
		return NULL;
	prev->next->used = true;
	*number = tens;
	in->p = p + e->raw_len + 1;
	in->line++;
	return prev->next;
}

#endif
