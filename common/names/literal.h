/* SPDX-License-Identifier: ISC */
/*
 * Texts that every match of a regular expression contains: without them a
 * pattern need not be run, as most of a rule file's for most names.
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
 * The same of a pattern of alternatives, at most `max`: one of the texts, which
 * stand one after the other in `to`, is in each match. One that begins with
 * LITERAL_ANY_CASE has letters in any case; these texts have small ones.
 * Returns how many there are; 0 if one is not known.
 */
#define LITERAL_ANY_CASE "(?i)"
size_t literals_of(
    const char *pattern, size_t len, char *to, size_t *lens, size_t max);

enum { GRAM = 4 };

/*
 * Finds which of many literals a text contains, in one pass over it: each is
 * looked for where GRAM bytes of it stand that few others have.
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
