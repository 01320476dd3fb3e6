/* SPDX-License-Identifier: ISC */
/*
 * All literals at once: bit i of a state says that the bytes so far end in the
 * beginning of a literal up to its byte i. Behind each literal a bit stays
 * free, so that a state can be doubled and the first bits added. Most names
 * have none of the literals, and no pattern need be run.
 */
#include "colour/needs.h"

#include <ctype.h>
#include <string.h>

#include "base/bytes.h"
#include "names/literal.h"

enum { BITS = 64, LITERALS = 16, PATTERN = 1024 };

/* Of a longer one the beginning is enough. */
enum { BYTES = 6 };

uint64_t
needs_add(struct needs *n, const char *pattern, size_t len)
{
	bool any_case = bytes_starts(pattern, len, LITERAL_ANY_CASE);
	char text[PATTERN], *p = text;
	size_t lens[LITERALS], all = 0, count = 0;
	uint64_t ends = 0;

	if (len <= sizeof text)
		count = literals_of(pattern, len, text, lens, LITERALS);
	for (size_t i = 0; i < count; i++)
		all += (lens[i] < BYTES ? lens[i] : BYTES) + 1;
	if (n->bits + all > BITS)
		return 0;
	for (size_t i = 0; i < count; p += lens[i++]) {
		n->first |= (uint64_t)1 << n->bits;
		for (size_t k = 0; k < lens[i] && k < BYTES; k++) {
			unsigned char c = (unsigned char)p[k];
			const uint64_t bit = (uint64_t)1 << n->bits++;

			n->has[c] |= bit;
			if (any_case)
				n->has[toupper(c)] |= bit;
		}
		ends |= (uint64_t)1 << (n->bits++ - 1);
	}
	return ends;
}

uint64_t
needs_find(const struct needs *n, const char *name, size_t len)
{
	const unsigned char *p = (const unsigned char *)name, *end = p + len;
	const uint64_t first = n->first;
	uint64_t s = 0, all = 0;

	for (; end - p >= 4; p += 4) {
		all |= s = (s * 2 + first) & n->has[p[0]];
		all |= s = (s * 2 + first) & n->has[p[1]];
		all |= s = (s * 2 + first) & n->has[p[2]];
		all |= s = (s * 2 + first) & n->has[p[3]];
	}
	for (; p < end; p++)
		all |= s = (s * 2 + first) & n->has[*p];
	return all;
}
