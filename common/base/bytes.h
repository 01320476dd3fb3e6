/* SPDX-License-Identifier: ISC */
/*
 * Texts with a length. A text of length 0 may be NULL. Only a `word` ends in
 * NUL.
 */
#ifndef KST_BYTES_H
#define KST_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A part of a text. */
struct piece {
	const char *p;
	size_t len;
};

static inline bool
bytes_same(const char *a, size_t a_len, const char *b, size_t b_len)
{
	return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

/* strcmp(3)'s order: unsigned bytes, a prefix first. */
static inline int
bytes_cmp(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t n = a_len < b_len ? a_len : b_len;
	int c = n ? memcmp(a, b, n) : 0;

	return c ? c : (a_len > b_len) - (a_len < b_len);
}

/* How many bytes are equal at the beginning of both texts. */
static inline size_t
bytes_shared(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t n = a_len < b_len ? a_len : b_len, i = 0;

	while (i + 64 <= n && memcmp(a + i, b + i, 64) == 0)
		i += 64;
	while (i + 8 <= n && memcmp(a + i, b + i, 8) == 0)
		i += 8;
	while (i < n && a[i] == b[i])
		i++;
	return i;
}

static inline bool
bytes_is(const char *p, size_t len, const char *word)
{
	return bytes_same(p, len, word, strlen(word));
}

static inline bool
bytes_starts(const char *p, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && bytes_same(p, n, word, n);
}

static inline bool
bytes_ends(const char *p, size_t len, const char *word)
{
	size_t n = strlen(word);

	return len >= n && bytes_same(p + len - n, n, word, n);
}

static inline bool
bytes_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Drops the blanks at both ends; returns the length that is left. */
static inline size_t
bytes_trim(const char **p, size_t len)
{
	for (; len > 0 && bytes_is_blank(**p); len--)
		++*p;
	while (len > 0 && bytes_is_blank((*p)[len - 1]))
		len--;
	return len;
}

/*
 * Takes the next word between blanks. Returns its length; 0 at the end of the
 * text.
 */
static inline size_t
bytes_take_word(const char **p, size_t *len, const char **word)
{
	for (; *len > 0 && bytes_is_blank(**p); --*len)
		++*p;
	for (*word = *p; *len > 0 && !bytes_is_blank(**p); --*len)
		++*p;
	return (size_t)(*p - *word);
}

#endif
