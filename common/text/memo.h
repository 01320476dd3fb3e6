/* SPDX-License-Identifier: ISC */
/*
 * What is known of each distinct frame text: the hot path of every filter that
 * reads trace text. The same frame comes millions of times, mostly after the
 * same frame as last time, so each entry remembers its successor. A line is
 * compared with that first; only if it differs, its end is searched and its
 * hash looked up. Where little repeats, storing each text would cost more than
 * it saves: memo_try() keeps what comes twice.
 *
 * memo_trim() bounds the memory.
 */
#ifndef KST_MEMO_H
#define KST_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/in.h"

struct memo;

/* Open: the hot path reads the fields. */
struct memo_entry {
	struct memo_entry *next; /* what followed it last time, or NULL */
	uint32_t raw_len, len, value;
	char bytes[]; /* raw_len bytes of the frame's text, len of the result */
};

struct memo *memo_new(void);
void memo_free(struct memo *m);

/* The entry of a frame's text, or NULL, and the text's hash for memo_add(). */
struct memo_entry *memo_find(
    struct memo *m, const char *text, size_t len, uint64_t *hash);

/*
 * Adds a text with a result of `len` bytes and a value, whose meaning is the
 * caller's. The entry lives until memo_trim() returns true.
 */
struct memo_entry *memo_add(struct memo *m, uint64_t hash, const char *text,
    size_t text_len, const char *result, size_t len, uint32_t value);

/*
 * The same, but at a text's first sight the entry is not found again, has no
 * text, and lives until memo_forget_passing(); *kept says which. A text of long
 * ago may be new.
 */
struct memo_entry *memo_try(struct memo *m, uint64_t hash, const char *text,
    size_t text_len, const char *result, size_t len, uint32_t value,
    bool *kept);
void memo_forget_passing(struct memo *m);

/*
 * Forgets all entries, and returns true, if they take more than some megabytes;
 * call it where no entry is in use, such as between stacks.
 */
bool memo_trim(struct memo *m);

/* How many bytes the entries take. */
size_t memo_bytes(const struct memo *m);

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
 * If the next line is a frame with a number above *number and the text of
 * prev->next, takes the line, sets *number and returns the entry; the line's
 * first 4 bytes, `#N  `, are then at *head. Otherwise takes nothing.
 */
static inline struct memo_entry *
memo_next_frame(struct in *in, const struct memo_entry *prev, uint32_t *number,
    const char **head)
{
	const char *p = in->p;
	struct memo_entry *e = prev->next;
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
	*number = tens;
	in->p = p + e->raw_len + 1;
	in->line++;
	return e;
}

#endif
