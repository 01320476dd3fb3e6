/* SPDX-License-Identifier: ISC */
/* Texts of the input, as XML allows them and as wide as there is room. */
#include "paint/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "io/out.h"
#include "base/utf8.h"

/* Advances of a monospaced letter, and of anything that may be wider. */
enum { NARROW = 61, WIDE = 112 };

/* Not allowed in XML, or not shown as a character of its own. */
static bool
is_forbidden(const char *p, size_t n)
{
	return !utf8_is_shown(p, n) ||
	       (n == 3 && memcmp(p, "\xef\xbf\xbe", 3) == 0) ||
	       (n == 3 && memcmp(p, "\xef\xbf\xbf", 3) == 0);
}

/* What stands for a character that is markup, or NULL. */
static const char *
reference(char c)
{
	return c == '<'	   ? "&lt;"
	       : c == '>'  ? "&gt;"
	       : c == '&'  ? "&amp;"
	       : c == '"'  ? "&quot;"
	       : c == '\'' ? "&#39;"
			   : NULL;
}

/* Letters, digits and punctuation, which need no closer look. */
static const bool *
plain_bytes(void)
{
	static bool plain[256];

	if (!plain[' '])
		for (int c = ' '; c < 0x7f; c++)
			plain[c] = !reference((char)c);
	return plain;
}

void
text_put(const char *p, size_t len)
{
	const bool *plain = plain_bytes();
	size_t i = 0;

	while (i < len) {
		size_t from = i, n;

		while (i < len && plain[(unsigned char)p[i]])
			i++;
		out_put(p + from, i - from);
		if (i == len)
			break;
		n = utf8_len(p + i, len - i);
		if (reference(p[i]))
			out_puts(reference(p[i]));
		else if (is_forbidden(p + i, n))
			out_puts("\xef\xbf\xbd"); /* U+FFFD */
		else
			out_put(p + i, n);
		i += n ? n : 1;
	}
}

void
text_put_isolated(const char *p, size_t len)
{
	size_t ascii = 0;

	while (ascii < len && (unsigned char)p[ascii] < 0x80)
		ascii++;
	/* between a first strong isolate and its end */
	out_puts(ascii < len ? "\xe2\x81\xa8" : "");
	text_put(p, len);
	out_puts(ascii < len ? "\xe2\x81\xa9" : "");
}

void
text_puts(const char *s)
{
	text_put(s, strlen(s));
}

/* U+0000-052F has the letters of Latin, Greek and Cyrillic script. */
static unsigned
advance(const char *p)
{
	unsigned char c = (unsigned char)*p;

	return c < 0x80 || (c >= 0xc2 && c < 0xd4) ? NARROW : WIDE;
}

/* The bytes that fit into max, and their width. */
static size_t
fit(const char *p, size_t len, unsigned max, unsigned *width)
{
	size_t i = 0;

	*width = 0;
	while (i < len) {
		size_t n = utf8_len(p + i, len - i);
		unsigned w = advance(p + i);

		if (*width + w > max)
			break;
		*width += w;
		i += n ? n : 1;
	}
	return i;
}

unsigned
text_width(const char *p, size_t len)
{
	unsigned width;

	fit(p, len, ~0u - WIDE, &width);
	return width;
}

void
text_fit(struct buf *b, const char *p, size_t len, unsigned max)
{
	unsigned width;
	size_t n = fit(p, len, max, &width);

	if (n == len) {
		buf_add(b, p, len);
	} else if (max >= TEXT_LEAST) {
		n = fit(p, len, max - NARROW, &width);
		if (width < 2 * NARROW)
			return;
		buf_add(b, p, n);
		buf_adds(b, "…");
	}
}

/* Longer names are cut at the end: their parts would take too long to find. */
enum { PARTS_WITHIN = 4096 };

/*
 * Where the part of a name after `at` begins, or len: after `::` or `/` that is
 * not inside of brackets. What follows a space or begins with a brace, as
 * {{closure}} does, is not a part of its own.
 */
static size_t
next_part(const char *p, size_t len, size_t at)
{
	int depth = 0;

	for (size_t i = at; i < len; i++) {
		if (strchr("<([{", p[i]) && p[i])
			depth++;
		else if (strchr(">)]}", p[i]) && p[i])
			depth -= depth > 0;
		else if (depth)
			continue;
		else if (p[i] == ' ')
			break;
		else if (p[i] == ':' && i + 1 < len && p[i + 1] == ':') {
			while (i + 1 < len && p[i + 1] == ':')
				i++;
			if (i + 1 < len && p[i + 1] != '{')
				return i + 1;
		} else if (p[i] == '/' && i + 1 < len &&
			   (isalnum((unsigned char)p[i + 1]) ||
			       p[i + 1] == '_'))
			return i + 1;
	}
	return len;
}

/* Where the word after `at` begins in a name such as tcp_v4_rcv, or len. */
static size_t
next_word(const char *p, size_t len, size_t at)
{
	while (++at < len && (isalnum((unsigned char)p[at]) || p[at] == '_'))
		if (p[at - 1] == '_' && isalpha((unsigned char)p[at]))
			return at;
	return len;
}

void
text_fit_name(
    struct buf *b, const char *p, size_t len, size_t shared, unsigned max)
{
	size_t last = 0, at = 0;
	unsigned own = 0;
	bool fits =
	    len > PARTS_WITHIN || max < TEXT_LEAST || text_width(p, len) <= max;

	if (!fits && max > 5 * NARROW && shared > 0 && shared < len)
		fit(p + shared, len - shared, max - 2 * NARROW, &own);
	if (own >= 2 * NARROW) {
		buf_adds(b, "…");
		text_fit(b, p + shared, len - shared, max - NARROW);
		return;
	}
	while (!fits && (at = next_part(p, len, at)) < len) {
		last = at;
		fits = text_width(p + at, len - at) + NARROW <= max;
	}
	for (at = last; !fits && (at = next_word(p, len, at)) < len;) {
		unsigned width = text_width(p + at, len - at) + NARROW;

		fits = width <= max && width >= max / 3 * 2;
		last = fits ? at : last;
	}
	if (fits && last > 0)
		buf_adds(b, "…");
	text_fit(b, p + last, len - last, max);
}
