/* SPDX-License-Identifier: ISC */
/*
 * Texts that every match of a regular expression contains: without them a
 * pattern need not be run, as most of a rule file's for most names.
 */
#ifndef KST_LITERAL_H
#define KST_LITERAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Appends the longest run of bytes that each match of the pattern contains to
 * `to`, which has room for len bytes. Returns its length; 0 if none is known.
 */
size_t literal_of(const char *pattern, size_t len, char *to);

enum { GRAM = 4, GRAM_BITS = 4096, GRAMS_MAX = 8 };

/* Which groups of four bytes a text has; several may share a bit. */
struct grams {
	uint64_t bits[GRAM_BITS / 64];
};

void grams_of(struct grams *g, const char *text, size_t len);

/* The bits of some of a literal's groups, at most GRAMS_MAX; how many. */
uint8_t grams_some(const char *literal, size_t len, uint16_t *bits);

/* False when the text is known to be without that literal. */
static inline bool
grams_may_have(const struct grams *g, const uint16_t *bits, uint8_t n)
{
	for (uint8_t i = 0; i < n; i++)
		if ((g->bits[bits[i] / 64] >> bits[i] % 64 & 1) == 0)
			return false;
	return true;
}

#endif
