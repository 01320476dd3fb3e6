/* SPDX-License-Identifier: ISC */
/*
 * Brackets in C++ and Rust names: which belong together, and which are not
 * brackets, as in `->` and C++'s operators. Texts are [p, end), not empty where
 * p is read.
 */
#ifndef KST_NEST_H
#define KST_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether [p, end) starts with the word. */
static inline bool
nest_starts(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - p) >= n && memcmp(p, with, n) == 0;
}

/* Whether c may stand in an identifier; any byte beyond ASCII may. */
static inline bool
nest_is_word(char c)
{
	return c == '_' || c == '$' || (c >= '0' && c <= '9') ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z') || (c & 0x80);
}

/* The slow part of nest_atom(). */
size_t nest_atom_of(const char *p, const char *end);

/*
 * The length of a bracketed part at p that is a name, such as `(anonymous
 * namespace)`, or 0.
 */
static inline size_t
nest_atom(const char *p, const char *end)
{
	return end - p > 5 && memcmp(p, "(anon", 5) == 0 ? nest_atom_of(p, end)
							 : 0;
}

/* The length of a character literal in generics, `'('`, at p, or 0. */
size_t nest_char(const char *p, const char *end);

/* What a byte may mean in a name; other bytes are only copied. */
enum {
	NEST_OPEN = 1,	/* `<`, `(`, `[` or `{` */
	NEST_CLOSE = 2, /* a bracket's end; also `'` and the `-` of `->` */
	NEST_BLANK = 4,
	NEST_OPERATOR = 8, /* an `o`: it may begin that word */
	NEST_ROUND = 16,   /* `(`, `)`, `'` or `"` */
	NEST_SYMBOL = 32   /* it may stand in an operator's name */
};

extern const unsigned char nest_means[256];

/* The first byte from p on that may mean one of those, or end. */
static inline const char *
nest_skip(const char *p, const char *end, int meanings)
{
	for (;; p++) {
		while (p < end && !(nest_means[(unsigned char)*p] & meanings))
			p++;
		if (p == end || *p != 'o' || (end - p > 8 && p[1] == 'p'))
			return p;
	}
}

/* Whether the word `operator` begins at p; begin is where the text begins. */
static inline bool
nest_at_operator(const char *begin, const char *p, const char *end)
{
	return *p == 'o' && end - p > 8 && memcmp(p, "operator", 8) == 0 &&
	       (p == begin || !nest_is_word(p[-1])) && !nest_is_word(p[8]);
}

/*
 * The byte after the name of the operator at p: after its symbol or, for `new`,
 * `delete`, literals and conversions, the blank after `operator`.
 * nest_at_operator() must hold.
 */
const char *nest_operator(const char *p, const char *end);

/*
 * The bracket that closes the one at p; NULL if none does or more than 128 are
 * open at once. The end of its enclosing bracket closes an angle bracket too:
 * in `(a<b)` it is an operator. begin: see nest_at_operator().
 */
const char *nest_match(const char *begin, const char *p, const char *end);

#endif
