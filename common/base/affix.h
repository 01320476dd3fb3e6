/* SPDX-License-Identifier: ISC */
/* How a text, which need not end in NUL, begins and ends. */
#ifndef KST_AFFIX_H
#define KST_AFFIX_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* Whether the len bytes at p begin with, or end in, that string. */
static inline bool
affix_starts(const char *p, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && memcmp(p, with, n) == 0;
}

static inline bool
affix_ends(const char *p, size_t len, const char *with)
{
	size_t n = strlen(with);

	return len >= n && memcmp(p + len - n, with, n) == 0;
}

#endif
