/* SPDX-License-Identifier: ISC */
/* How JSON is written. */
#include "json.h"

#include <string.h>

#include "base/buf.h"
#include "base/in.h"
#include "base/utf8.h"

void
json_init(struct json *j, struct in *in)
{
	j->err = NULL;
	j->in = in;
	j->file_no = in->file_no;
	j->taken = 0;
	j->mark = in->p;
}

uint64_t
json_offset(const struct json *j)
{
	if (j->in->file_no != j->file_no)
		return j->taken;
	return j->taken + (uint64_t)(j->in->p - j->mark);
}

bool
json_fail(struct json *j, const char *err)
{
	if (j->err == NULL)
		j->err = err;
	return false;
}

/* Makes n unread bytes available; false when the file has not so many. */
static bool
fill(struct json *j, size_t n)
{
	bool has;

	if (j->in->file_no != j->file_no)
		return false;
	j->taken += (uint64_t)(j->in->p - j->mark);
	has = in_fill(j->in, n) >= n && j->in->file_no == j->file_no;
	j->mark = j->in->p;
	return has;
}

/* Whether there is an unread byte in this file. */
static bool
more(struct json *j)
{
	return (j->in->p != j->in->end && j->in->file_no == j->file_no) ||
	       fill(j, 1);
}

int
json_peek(struct json *j)
{
	while (more(j)) {
		char c = *j->in->p;

		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			return (unsigned char)c;
		j->in->p++;
	}
	return -1;
}

bool
json_take(struct json *j, char c)
{
	int next = json_peek(j);

	if (next == (unsigned char)c) {
		j->in->p++;
		return true;
	}
	if (next < 0)
		return json_fail(j, "the document ends too early");
	switch (c) {
	case '{':
		return json_fail(j, "an object is expected");
	case '[':
		return json_fail(j, "an array is expected");
	case ':':
		return json_fail(j, "a colon is expected");
	case '}':
		return json_fail(j, "a comma or the object's end is expected");
	case ']':
		return json_fail(j, "a comma or the array's end is expected");
	default:
		return json_fail(j, "a string is expected");
	}
}

/* Strings ------------------------------------------------------------------ */

/* Four hexadecimal digits of an escape; -1 when they are none. */
static long
hex4(struct json *j)
{
	long v = 0;

	if (!fill(j, 4))
		return -1;
	for (int i = 0; i < 4; i++) {
		unsigned c = (unsigned char)*j->in->p;
		unsigned d = c - '0' <= 9	   ? c - '0'
			     : (c | 32) - 'a' <= 5 ? (c | 32) - 'a' + 10
						   : 16;

		if (d > 15)
			return -1;
		v = v << 4 | (long)d;
		j->in->p++;
	}
	return v;
}

static void
add_utf8(struct buf *b, unsigned long c)
{
	char p[4];
	size_t n = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;

	if (b == NULL)
		return;
	for (size_t i = n; i-- > 1; c >>= 6)
		p[i] = (char)(0x80 | (c & 0x3f));
	p[0] = (char)(n == 1 ? c : (0xf00 >> n & 0xff) | c);
	buf_add(b, p, n);
}

/* What follows `\u`. */
static bool
unicode_escape(struct json *j, struct buf *b)
{
	long c = hex4(j), low;

	if (c < 0)
		return json_fail(j, "four hexadecimal digits are expected");
	if (c >= 0xdc00 && c < 0xe000)
		return json_fail(j, "half of a surrogate pair");
	if (c >= 0xd800 && c < 0xdc00) {
		if (!fill(j, 2) || memcmp(j->in->p, "\\u", 2) != 0)
			return json_fail(j, "half of a surrogate pair");
		j->in->p += 2;
		low = hex4(j);
		if (low < 0xdc00 || low >= 0xe000)
			return json_fail(j, "half of a surrogate pair");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	add_utf8(b, (unsigned long)c);
	return true;
}

/* What follows a backslash. */
static bool
escape(struct json *j, struct buf *b)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (!more(j))
		return json_fail(j, "the document ends too early");
	if (*j->in->p == 'u') {
		j->in->p++;
		return unicode_escape(j, b);
	}
	at = memchr(from, *j->in->p, sizeof from - 1);
	if (at == NULL)
		return json_fail(j, "an unknown escape");
	j->in->p++;
	if (b)
		buf_addc(b, to[at - from]);
	return true;
}

/* How many bytes from p on are plain ASCII without quote and backslash. */
static size_t
plain_len(const char *p, const char *end)
{
	const char *s = p;

	while (p < end && (unsigned char)*p >= 0x20 &&
	       (unsigned char)*p < 0x80 && *p != '"' && *p != '\\')
		p++;
	return (size_t)(p - s);
}

/* A character beyond ASCII, or a byte that may not stand in a string. */
static bool
wide_char(struct json *j, struct buf *b)
{
	size_t n;

	if ((unsigned char)*j->in->p < 0x20)
		return json_fail(j, "a control character in a string");
	fill(j, 4);
	n = utf8_len(j->in->p, (size_t)(j->in->end - j->in->p));
	if (n == 0)
		return json_fail(j, "a byte that is not UTF-8");
	if (b)
		buf_add(b, j->in->p, n);
	j->in->p += n;
	return true;
}

bool
json_string(struct json *j, struct buf *b, size_t max)
{
	bool good = json_take(j, '"');

	while (good) {
		size_t n;

		if (!more(j))
			return json_fail(j, "the document ends in a string");
		n = plain_len(j->in->p, j->in->end);
		if (b)
			buf_add(b, j->in->p, n);
		j->in->p += n;
		if (b && b->len > max)
			return json_fail(j, "more text than can be held");
		if (j->in->p == j->in->end)
			continue;
		if (*j->in->p == '"') {
			j->in->p++;
			return true;
		}
		if (*j->in->p == '\\') {
			j->in->p++;
			good = escape(j, b);
		} else {
			good = wide_char(j, b);
		}
	}
	return false;
}

/* Values that are skipped -------------------------------------------------- */

static bool
skip_word(struct json *j, const char *word)
{
	size_t n = strlen(word);

	if (!fill(j, n) || memcmp(j->in->p, word, n) != 0)
		return json_fail(j, "a value is expected");
	j->in->p += n;
	return true;
}

static size_t
skip_digits(struct json *j)
{
	size_t n = 0;

	for (; more(j) && *j->in->p >= '0' && *j->in->p <= '9'; n++)
		j->in->p++;
	return n;
}

static bool
skip_number(struct json *j)
{
	bool zero;

	if (*j->in->p == '-')
		j->in->p++;
	zero = more(j) && *j->in->p == '0';
	if (zero)
		j->in->p++;
	else if (skip_digits(j) == 0)
		return json_fail(j, "a value is expected");
	if (more(j) && *j->in->p == '.') {
		j->in->p++;
		if (skip_digits(j) == 0)
			return json_fail(j, "a digit is expected");
	}
	if (more(j) && (*j->in->p | 32) == 'e') {
		j->in->p++;
		if (more(j) && (*j->in->p == '+' || *j->in->p == '-'))
			j->in->p++;
		if (skip_digits(j) == 0)
			return json_fail(j, "a digit is expected");
	}
	return true;
}

static bool
skip_scalar(struct json *j, int c)
{
	switch (c) {
	case '"':
		return json_string(j, NULL, 0);
	case 't':
		return skip_word(j, "true");
	case 'f':
		return skip_word(j, "false");
	case 'n':
		return skip_word(j, "null");
	case -1:
		return json_fail(j, "the document ends too early");
	default:
		if (c == '-' || (c >= '0' && c <= '9'))
			return skip_number(j);
		return json_fail(j, "a value is expected");
	}
}

bool
json_skip(struct json *j)
{
	char open[JSON_DEPTH_MAX];
	size_t depth = 0;

	for (;;) {
		int c = json_peek(j);

		if (c == '[' || c == '{') { /* a value that begins */
			if (depth == JSON_DEPTH_MAX)
				return json_fail(j, "nested too deeply");
			open[depth++] = (char)(c + 2); /* its end */
			j->in->p++;
			if (json_peek(j) != c + 2) {
				if (c == '{' && (!json_string(j, NULL, 0) ||
						    !json_take(j, ':')))
					return false;
				continue;
			}
		} else if (!skip_scalar(j, c)) {
			return false;
		}
		/* after a value, or at the end of an empty one */
		for (;;) {
			if (depth == 0)
				return true;
			c = json_peek(j);
			if (c == ',')
				break;
			if (!json_take(j, open[depth - 1]))
				return false;
			depth--;
		}
		j->in->p++;
		if (open[depth - 1] == '}' &&
		    (!json_string(j, NULL, 0) || !json_take(j, ':')))
			return false;
	}
}

/* Writing ------------------------------------------------------------------ */

static void
put_special(struct buf *b, unsigned char c)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	const char *at = c ? strchr(from, c) : NULL;

	if (at) {
		buf_addc(b, '\\');
		buf_addc(b, to[at - from]);
	} else {
		buf_printf(b, "\\u%04x", c);
	}
}

void
json_put(struct buf *b, const char *text, size_t len)
{
	const char *end = text + len;

	buf_addc(b, '"');
	while (text < end) {
		size_t n = plain_len(text, end);

		buf_add(b, text, n);
		text += n;
		if (text == end)
			break;
		if ((unsigned char)*text < 0x80) {
			put_special(b, (unsigned char)*text++);
			continue;
		}
		n = utf8_len(text, (size_t)(end - text));
		if (n)
			buf_add(b, text, n);
		else
			buf_adds(b, "\xef\xbf\xbd");
		text += n ? n : 1;
	}
	buf_addc(b, '"');
}
