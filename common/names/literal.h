/* SPDX-License-Identifier: ISC */
/*
 * Finds texts that every match of a regular expression contains. Where none of
 * them is in a name, the pattern need not be run, which saves most of a rule
 * file's patterns for most names.
 */
#ifndef KST_LITERAL_H
#define KST_LITERAL_H

#include <stddef.h>
#include <stdint.h>

/*
 * Appends the longest run of bytes that each match of the pattern contains to
 * `to`, which has room for len bytes. Returns its length; 0 if none is known.
 */
size_t literal_of(const char *pattern, size_t len, char *to);

/*
 * As literal_of(), for a pattern of alternatives, at most `max`. Appended
 * are several texts, one after the other, and each match contains one of them.
 * A text that begins with LITERAL_ANY_CASE stands for letters in any case, and
 * is written in small letters. Returns how many texts there are; 0 if one is
 * unknown.
 */
#define LITERAL_ANY_CASE "(?i)"
size_t literals_of(
    const char *pattern, size_t len, char *to, size_t *lens, size_t max);

enum { GRAM = 4 };

/*
 * Finds which of many literals a text contains, in one pass over the text. Each
 * literal is looked for by GRAM of its bytes that few other literals have.
 */
struct sieve;

struct literal {
	const char *p; /* not copied */
	size_t len;
};

struct sieve *sieve_new(const struct literal *literals, size_t n);
void sieve_free(struct sieve *s);

void sieve_find(struct sieve *s, const char *text, size_t len);

/*
 * The first literal from number i on that the text contains, or that is shorter
 * than GRAM; n if there is none.
 */
size_t sieve_next(const struct sieve *s, size_t i);

#endif
