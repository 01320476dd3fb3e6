/* SPDX-License-Identifier: ISC */
/*
 * Brackets in the names of C++ and Rust: which belong together, and which
 * characters that look like brackets are none, as those of `->` and of C++'s
 * operators. All texts are [p, end), not empty where p is read.
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

/*
 * The length of a part in brackets that is a name and no parameters, such as
 * `(anonymous namespace)`, at p; 0 when there is none.
 */
size_t nest_atom(const char *p, const char *end);

/* The length of a character literal in a generic, `'('`, at p; 0 for none. */
size_t nest_char(const char *p, const char *end);

/* Whether the word `operator` begins at p; begin is where the text begins. */
bool nest_at_operator(const char *begin, const char *p, const char *end);

/*
 * The byte behind the operator's name at p: its symbol, or for `new`,
 * `delete`, literals and conversions the blank behind `operator`. To be called
 * where nest_at_operator() is true.
 */
const char *nest_operator(const char *p, const char *end);

/*
 * The bracket that closes the one at p, or NULL, also when more than 128 are
 * open at once. An angle bracket is closed also by the end of what it stands
 * in: in `(a<b)` it is an operator. begin is as for nest_at_operator().
 */
const char *nest_match(const char *begin, const char *p, const char *end);

#endif
