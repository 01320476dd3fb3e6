/* SPDX-License-Identifier: ISC */
#include "base/utf8.h"

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

bool
utf8_is_c1(const char *p, size_t n)
{
	return n == 2 && (unsigned char)p[0] == 0xc2 &&
	       (unsigned char)p[1] < 0xa0;
}
