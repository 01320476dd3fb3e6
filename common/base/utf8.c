/* SPDX-License-Identifier: ISC */
#include "base/utf8.h"

#include <stdint.h>

/* utf8_len(), and the character. */
static inline size_t
decode(const char *p, size_t left, uint32_t *c)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *s = (const unsigned char *)p;
	size_t n;

	if (left == 0)
		return 0;
	n = s[0] < 0x80	  ? 1
	    : s[0] < 0xc0 ? 0
	    : s[0] < 0xe0 ? 2
	    : s[0] < 0xf0 ? 3
			  : 4;
	if (left < n)
		return 0;
	*c = s[0] & 0xffu >> n; /* too much from 0xf8 on */
	for (size_t i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (s[i] & 0x3fu);
	}
	if (*c < least[n] || *c > 0x10ffff || *c >> 11 == 0xd800 >> 11)
		return 0;
	return n;
}

size_t
utf8_len(const char *p, size_t left)
{
	uint32_t c;

	return decode(p, left, &c);
}

/* Unicode's Bidi_Control: what turns the text around it. */
static bool
is_direction(uint32_t c)
{
	return c == 0x61c || c == 0x200e || c == 0x200f ||
	       (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

bool
utf8_is_shown(const char *p, size_t n)
{
	uint32_t c;

	return decode(p, n, &c) && c >= 0x20 && (c < 0x7f || c >= 0xa0) &&
	       !is_direction(c);
}
