/* SPDX-License-Identifier: ISC */
/* Texts of the input, as XML allows them and as wide as there is room. */
#include "paint/text.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
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
enum { PARTS_WITHIN = 4096, LETTERS_MIN = 4 };

/* 1 for a bracket that opens, -1 for one that closes. */
static int
bracket(char c)
{
	switch (c) {
	case '<':
	case '(':
	case '[':
	case '{':
		return 1;
	case '>':
	case ')':
	case ']':
	case '}':
		return -1;
	default:
		return 0;
	}
}

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
		int b = bracket(p[i]);

		if (b > 0)
			depth++;
		else if (b < 0)
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

static bool
is_gap(char c)
{
	return c == '_' || c == '.';
}

/* The last part of a name, without arguments and underscores before it. */
static struct piece
last_part(struct piece part)
{
	size_t end = 1;

	while (part.len > 1 && *part.p == '_') {
		part.p++;
		part.len--;
	}
	while (end < part.len && part.p[end] != 0 && bracket(part.p[end]) <= 0)
		end++;
	part.len = end < part.len ? end : part.len;
	return part;
}

/* The last part of a name with what follows, and the last two; or all. */
static void
last_parts(struct piece name, struct piece parts[2])
{
	size_t at = 0, starts[2] = {0, 0};

	if (memchr(name.p, ':', name.len) || memchr(name.p, '/', name.len))
		while ((at = next_part(name.p, name.len, at)) < name.len) {
			starts[1] = starts[0];
			starts[0] = at;
		}
	for (int i = 0; i < 2; i++)
		parts[i] =
		    (struct piece){name.p + starts[i], name.len - starts[i]};
}

/* Without the words that the caller's name begins with, too. */
static struct piece
own_words(struct piece part, struct piece caller)
{
	struct piece parts[2], other;
	size_t n;

	last_parts(caller, parts);
	other = last_part(parts[0]);
	n = bytes_shared(part.p, part.len, other.p, other.len);

	if (n == other.len && n < part.len && part.p[n] == '_')
		n++;
	while (n > 0 && !is_gap(part.p[n - 1]))
		n--;
	return (struct piece){part.p + n, part.len - n};
}

static struct piece
without_first_word(struct piece part)
{
	size_t at = 1;

	while (
	    at < part.len && !(is_gap(part.p[at - 1]) && !is_gap(part.p[at])))
		at++;
	at = at < part.len ? at : part.len;
	return (struct piece){part.p + at, part.len - at};
}

static bool
is_word_end(struct piece part, size_t end)
{
	unsigned char before = (unsigned char)part.p[end - 1];
	unsigned char after = (unsigned char)part.p[end];

	if (is_gap((char)after) || after == ' ')
		return !is_gap((char)before) && before != ' ';
	return (islower(before) || isdigit(before)) && isupper(after);
}

/* Few letters tell nothing. */
static bool
tells(struct piece text, unsigned max)
{
	size_t letters = 0;

	for (size_t i = 0; i < text.len && letters < LETTERS_MIN; i++)
		letters += ((unsigned char)text.p[i] & 0xc0) != 0x80;
	return letters == LETTERS_MIN && text_width(text.p, text.len) <= max;
}

/* As many words as fit. */
static bool
fit_words(struct buf *b, struct piece part, unsigned max)
{
	for (size_t end = part.len; end-- > LETTERS_MIN;)
		if (is_word_end(part, end) &&
		    tells((struct piece){part.p, end}, max - NARROW)) {
			buf_add(b, part.p, end);
			buf_adds(b, "…");
			return true;
		}
	return false;
}

void
text_fit_name(
    struct buf *b, struct piece name, struct piece caller, unsigned max)
{
	struct piece last, form, parts[2];

	if (name.len > PARTS_WITHIN || text_width(name.p, name.len) <= max) {
		text_fit(b, name.p, name.len, max);
		return;
	}
	last_parts(name, parts);
	last = last_part(parts[0]);
	for (int i = 0; i < 5; i++) {
		form = i < 2	? parts[1 - i]
		       : i == 2 ? last
		       : i == 3 ? own_words(last, caller)
				: without_first_word(last);
		if (tells(form, max)) {
			buf_add(b, form.p, form.len);
			return;
		}
	}
	if (max >= TEXT_LEAST && !fit_words(b, last, max))
		fit_words(b, form, max);
}
