/* SPDX-License-Identifier: ISC */
#include "text/json.h"

#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "io/in.h"
#include "base/num.h"
#include "base/utf8.h"

void
json_init(struct json *j, struct in *in)
{
	*j = (struct json){.p = in->p,
	    .end = in->end,
	    .mark = in->p,
	    .in = in,
	    .file_no = in->file_no};
}

struct json
json_of_text(const char *p, size_t len)
{
	return (struct json){.p = p, .end = p + len, .mark = p};
}

void
json_done(struct json *j)
{
	if (j->in->file_no == j->file_no)
		j->in->p += j->p - j->mark;
}

uint64_t
json_offset(const struct json *j)
{
	return j->taken + (uint64_t)(j->p - j->mark);
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
	struct in *in = j->in;

	if ((size_t)(j->end - j->p) >= n)
		return true;
	if (in == NULL || in->file_no != j->file_no)
		return false;
	j->taken += (uint64_t)(j->p - j->mark);
	in->p += j->p - j->mark;
	in_fill(in, n);
	j->p = j->end = j->mark = in->p;
	if (in->file_no == j->file_no)
		j->end = in->end;
	return (size_t)(j->end - j->p) >= n;
}

/* Whether there is an unread byte in this document. */
static inline bool
more(struct json *j)
{
	return j->p != j->end || fill(j, 1);
}

/* Takes a byte that is one of these. */
static bool
accept(struct json *j, const char *of)
{
	if (!more(j) || memchr(of, *j->p, strlen(of)) == NULL)
		return false;
	j->p++;
	return true;
}

int
json_peek(struct json *j)
{
	while (accept(j, " \n\t\r"))
		;
	return more(j) ? (unsigned char)*j->p : -1;
}

bool
json_take(struct json *j, char c)
{
	static const char *const expected[] = {['{'] = "an object is expected",
	    ['['] = "an array is expected",
	    [':'] = "a colon is expected",
	    ['}'] = "a comma or the object's end is expected",
	    [']'] = "a comma or the array's end is expected",
	    [','] = "a comma is expected",
	    ['"'] = "a string is expected"};
	int next = json_peek(j);

	if (next == (unsigned char)c) {
		j->p++;
		return true;
	}
	return json_fail(j, next < 0 ? "the document ends too early"
				     : expected[(unsigned char)c]);
}

void
json_begin(struct json *j, char begin)
{
	j->first = json_take(j, begin);
}

bool
json_item(struct json *j, char end)
{
	bool first = j->first;

	j->first = false;
	if (j->err)
		return false;
	if (first ? json_peek(j) != end : json_peek(j) == ',')
		return first || json_take(j, ',');
	json_take(j, end);
	return false;
}

/* Strings ------------------------------------------------------------------ */

/* The number of four hexadecimal digits, or -1. */
static long
hex4(struct json *j)
{
	uint64_t v;

	if (!fill(j, 4) || num_hex(j->p, 4, &v) != 0)
		return -1;
	j->p += 4;
	return (long)v;
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

/* The rest of an escape after `\u`. */
static bool
unicode_escape(struct json *j, struct buf *b)
{
	long c = hex4(j), low;

	if (c < 0)
		return json_fail(j, "four hexadecimal digits are expected");
	if (c >= 0xdc00 && c < 0xe000)
		return json_fail(j, "half of a surrogate pair");
	if (c >= 0xd800 && c < 0xdc00) {
		if (!fill(j, 2) || memcmp(j->p, "\\u", 2) != 0)
			return json_fail(j, "half of a surrogate pair");
		j->p += 2;
		low = hex4(j);
		if (low < 0xdc00 || low >= 0xe000)
			return json_fail(j, "half of a surrogate pair");
		c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
	}
	add_utf8(b, (unsigned long)c);
	return true;
}

/* The rest of an escape after its backslash. */
static bool
escape(struct json *j, struct buf *b)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
	const char *at;

	if (!more(j))
		return json_fail(j, "the document ends too early");
	if (*j->p == 'u') {
		j->p++;
		return unicode_escape(j, b);
	}
	at = memchr(from, *j->p, sizeof from - 1);
	if (at == NULL)
		return json_fail(j, "an unknown escape");
	j->p++;
	if (b)
		buf_addc(b, to[at - from]);
	return true;
}

size_t
json_plain(const char *p, const char *end)
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

	if ((unsigned char)*j->p < 0x20)
		return json_fail(j, "a control character in a string");
	fill(j, 4);
	n = utf8_len(j->p, (size_t)(j->end - j->p));
	if (n == 0)
		return json_fail(j, "a byte that is not UTF-8");
	if (b)
		buf_add(b, j->p, n);
	j->p += n;
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
		n = json_plain(j->p, j->end);
		if (b)
			buf_add(b, j->p, n);
		j->p += n;
		if (b && b->len > max)
			return json_fail(j, "more text than can be held");
		if (j->p == j->end)
			continue;
		if (*j->p == '"') {
			j->p++;
			return true;
		}
		if (*j->p == '\\') {
			j->p++;
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

	if (!fill(j, n) || memcmp(j->p, word, n) != 0)
		return json_fail(j, "a value is expected");
	j->p += n;
	return true;
}

static size_t
skip_digits(struct json *j)
{
	size_t n = 0;

	for (; more(j) && *j->p >= '0' && *j->p <= '9'; n++)
		j->p++;
	return n;
}

static bool
skip_number(struct json *j)
{
	accept(j, "-");
	if (!accept(j, "0") && skip_digits(j) == 0)
		return json_fail(j, "a value is expected");
	if (accept(j, ".") && skip_digits(j) == 0)
		return json_fail(j, "a digit is expected");
	if (!accept(j, "eE"))
		return true;
	accept(j, "+-");
	return skip_digits(j) > 0 || json_fail(j, "a digit is expected");
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
		return skip_number(j);
	}
}

bool
json_skip(struct json *j)
{
	char open[JSON_DEPTH_MAX]; /* the ends of what is open */
	size_t depth = 0;

	do {
		int c = json_peek(j);

		if (c != '[' && c != '{') {
			if (!skip_scalar(j, c))
				return false;
		} else if (depth == JSON_DEPTH_MAX) {
			return json_fail(j, "nested too deeply");
		} else {
			open[depth++] = (char)(c + 2);
			json_begin(j, (char)c);
		}
		for (; depth && !json_item(j, open[depth - 1]); depth--)
			if (j->err)
				return false;
		if (depth && open[depth - 1] == '}' &&
		    (!json_string(j, NULL, 0) || !json_take(j, ':')))
			return false;
	} while (depth);
	return true;
}

bool
json_whole(struct json *j, uint64_t *v)
{
	char digits[20];
	size_t n = 0;

	for (json_peek(j);
	     n < sizeof digits && more(j) && *j->p >= '0' && *j->p <= '9';
	     j->p++)
		digits[n++] = *j->p;
	return num_u64(digits, n, v) == 0 ||
	       json_fail(j, "a whole number is expected");
}

/* Values in memory --------------------------------------------------------- */

struct json
json_member(struct json j, const char *name)
{
	struct buf key = BUF_INIT;
	struct json value = {0};

	for (json_begin(&j, '{'); value.p == NULL && json_item(&j, '}');
	     json_skip(&j)) {
		key.len = 0;
		if (json_string(&j, &key, SIZE_MAX) && json_take(&j, ':') &&
		    bytes_is(key.p, key.len, name))
			value = j;
	}
	buf_done(&key);
	return value;
}

bool
json_integer(struct json j, int64_t *v)
{
	bool negative = json_peek(&j) == '-';
	const char *p;
	uint64_t n;

	j.p += negative;
	p = j.p;
	if (skip_digits(&j) == 0 || num_u64(p, (size_t)(j.p - p), &n) != 0 ||
	    n > INT64_MAX || (j.p < j.end && memchr(".eE", *j.p, 3)))
		return false;
	*v = negative ? -(int64_t)n : (int64_t)n;
	return true;
}
