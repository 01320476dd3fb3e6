/* SPDX-License-Identifier: ISC */
/*
 * Walks over a C++ or Rust name, part by part, outside of brackets. `->` and
 * C++'s operators close nothing.
 */
#ifndef KST_NEST_H
#define KST_NEST_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum nest_part {
	NEST_END,
	NEST_TEXT,     /* also a bracket that is not closed */
	NEST_BLANK,    /* and the text that follows it */
	NEST_OPERATOR, /* `operator` and its symbol; `operator ` of a type */
	NEST_BRACKET   /* with all in it and its end */
};

struct nest {
	const char *begin, *end;
	const char *part, *next; /* the last part; users may move next on */
	int unmatched;		 /* brackets so far */
};

static inline struct nest
nest_walk(const char *begin, const char *end)
{
	return (struct nest){begin, end, begin, begin, 0};
}

/*
 * Takes the next part. Brackets nested more than 128 deep are not matched;
 * after 64 brackets of that depth the rest is text. An angle bracket is also
 * closed by the end of its enclosing bracket: in `(a<b)` it is an operator.
 */
enum nest_part nest_next(struct nest *n);

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
 * The length of a bracketed part at p that is a name, such as `(anonymous
 * namespace)`, or 0.
 */
size_t nest_atom(const char *p, const char *end);

/*
 * The length of a character literal such as `'('` at p; 1 if the `'` begins
 * none.
 */
size_t nest_char(const char *p, const char *end);

#endif
