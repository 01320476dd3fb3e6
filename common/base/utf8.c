/* SPDX-License-Identifier: ISC */
#include "base/utf8.h"

#include <stdint.h>

size_t
utf8_len(const char *p, size_t left)
{
	const unsigned char *s = (const unsigned char *)p;
	unsigned c, lo = 0x80, hi = 0xbf;
	size_t n;

	if (left == 0)
		return 0;
	c = s[0];
	if (c < 0x80)
		return 1;
	if (c >= 0xc2 && c <= 0xdf)
		n = 2;
	else if (c >= 0xe0 && c <= 0xef)
		n = 3;
	else if (c >= 0xf0 && c <= 0xf4)
		n = 4;
	else
		return 0;
	if (c == 0xe0)
		lo = 0xa0;
	else if (c == 0xed)
		hi = 0x9f;
	else if (c == 0xf0)
		lo = 0x90;
	else if (c == 0xf4)
		hi = 0x8f;
	if (left < n || s[1] < lo || s[1] > hi)
		return 0;
	for (size_t i = 2; i < n; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return n;
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
	const unsigned char *s = (const unsigned char *)p;

	switch (n) {
	case 0:
		return false;
	case 1:
		return s[0] >= 0x20 && s[0] != 0x7f;
	case 2: /* not a C1 control */
		return (s[0] != 0xc2 || s[1] >= 0xa0) &&
		       !is_direction((s[0] & 0x1fu) << 6 | (s[1] & 0x3fu));
	case 3:
		return !is_direction(
		    (s[0] & 0xfu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu));
	default:
		return true;
	}
}
