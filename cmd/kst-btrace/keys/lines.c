/* SPDX-License-Identifier: ISC */
#include "keys/lines.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"

static bool
is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_';
}

size_t
line_map_name(const char *line, size_t len)
{
	size_t n = 1;

	while (n < len && is_word(line[n]))
		n++;
	return n < len && (line[n] == '[' || line[n] == ':') ? n : 0;
}

bool
line_is_mode(const char *p, size_t len)
{
	return bytes_is(p, len, "kernel") || bytes_is(p, len, "userland");
}

static size_t
digits(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len && p[n] >= '0' && p[n] <= '9')
		n++;
	return n;
}

/* The number that p begins with; its length or 0. */
static size_t
number(const char *p, size_t len, uint64_t *val)
{
	size_t n = digits(p, len);

	return num_u64(p, n, val) == 0 ? n : 0;
}

size_t
line_hex_len(const char *p, size_t len)
{
	size_t n = 0;

	while (n < len &&
	       ((p[n] >= '0' && p[n] <= '9') || (p[n] >= 'a' && p[n] <= 'f')))
		n++;
	return n;
}

size_t
line_offset(const char *p, size_t len, size_t *end)
{
	const char *plus = p;

	while ((plus = memchr(plus, '+', (size_t)(p + len - plus))) != NULL) {
		size_t at = (size_t)(plus - p), i = at + 1;

		if (i + 2 < len && p[i] == '0' && p[i + 1] == 'x')
			i += 2 + line_hex_len(p + i + 2, len - i - 2);
		else
			i += digits(p + i, len - i);
		if (at > 0 && i > at + 1 &&
		    (i == len || memchr(" \t,@)", p[i], 5) != NULL)) {
			*end = i;
			return at;
		}
		plus++;
	}
	*end = len;
	return len;
}

/* An offset before the end, a ` [module]` or an `@file:line`. */
static bool
has_offset(const char *p, size_t len)
{
	size_t end;

	if (line_offset(p, len, &end) == len)
		return false;
	return end == len || p[end] == '@' ||
	       (len - end > 2 && p[end] == ' ' &&
		   (p[end + 1] == '[' || p[end + 1] == '@'));
}

bool
line_is_number(const char *p, size_t len)
{
	size_t sign = len > 1 && p[0] == '-';

	return sign + digits(p + sign, len - sign) == len;
}

/* DTrace's MODULE`FUNCTION, the offset of which may be missing. */
static bool
is_dtrace_frame(const char *p, size_t len)
{
	const char *tick = memchr(p, '`', len);

	if (tick == NULL || tick == p || tick + 1 == p + len)
		return false;
	while (p < tick && (is_word(*p) || strchr(".+-", *p)))
		p++;
	return p == tick;
}

bool
line_is_frame(const char *p, size_t len, bool in_stack, bool *dtrace)
{
	size_t offset = line_offset_at(p, len);

	if (offset) {
		*dtrace |= is_dtrace_frame(p, len);
		return p[offset - 1] != ' '; /* it has a name */
	}
	if (memmem(p, len, "  ", 2) != NULL) /* a table's columns */
		return false;
	if (p[0] == '<')
		return in_stack && p[len - 1] == '>';
	if (p[0] == '^' || p[0] == '[')
		return false;
	if (is_dtrace_frame(p, len)) {
		*dtrace = true;
		return true;
	}
	if (memchr(p, ' ', len) != NULL)
		return has_offset(p, len) || bytes_ends(p, len, " [inlined]");
	if (len > 2 && p[0] == '0' && p[1] == 'x')
		return true;
	if (memchr(p, '+', len) != NULL)
		return has_offset(p, len);
	if (len >= 8 && len <= 16 && line_hex_len(p, len) == len)
		return true; /* in bpftrace's raw mode */
	if (!in_stack)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!is_word(p[i]) && strchr("_.$:~<>@*&-", p[i]) == NULL)
			return false;
	return true;
}

bool
line_is_message(const char *p, size_t len, uint64_t *lost)
{
	size_t n;

	*lost = 0;
	if (bytes_starts(p, len, "Attaching ") ||
	    bytes_starts(p, len, "Attached ") || bytes_starts(p, len, "^C") ||
	    bytes_starts(p, len, "btrace: ") ||
	    bytes_starts(p, len, "bpftrace: ") ||
	    bytes_starts(p, len, "WARNING: "))
		return true;
	if (bytes_starts(p, len, "Lost ")) { /* bpftrace: Lost N events */
		number(p + 5, len - 5, lost);
		return true;
	}
	n = number(p, len, lost); /* btrace -v: N events dropped */
	if (n && bytes_ends(p, len, "events dropped"))
		return true; /* perhaps recursive ones */
	*lost = 0;
	return n && (bytes_ends(p, len, " events read") ||
			bytes_ends(p, len, " events filtered") ||
			bytes_ends(p, len, " clock ticks skipped"));
}

bool
line_bucket(const char *p, size_t len, uint64_t *count)
{
	const char *end = p + len, *close;
	size_t n;

	if (len == 0 || (p[0] != '[' && p[0] != '('))
		return false;
	for (close = p; close < end && *close != ')' && *close != ']'; close++)
		;
	if (close == end)
		return false;
	for (close++; close < end && *close == ' '; close++)
		;
	n = number(close, (size_t)(end - close), count);
	if (n == 0)
		return false;
	for (close += n; close < end && *close == ' '; close++)
		;
	return close < end && *close == '|';
}

/*
 * Where the wanted number of stats() is, or NULL: `count 3, average 5, total
 * 15`, or the new form `{ .count = 3, .average = 5, .total = 15 }`.
 */
static const char *
stats(const char *p, size_t len, enum line_number which)
{
#define ROW(id, word) word " ",
	static const char *const words[] = {LINE_NUMBERS(ROW)};
	const char *word = words[which], *at, *end = p + len;

	at = memmem(p, len, word, strlen(word));
	if (at == NULL || !(bytes_starts(p, len, words[VALUE_COUNT]) ||
			      bytes_starts(p, len, "{ .count = ")))
		return NULL;
	at += strlen(word);
	return bytes_starts(at, (size_t)(end - at), "= ") ? at + 2 : at;
}

/* The value after `]:`; false if it is none. */
static bool
value(const char *p, size_t len, enum line_number which, struct line_value *v)
{
	const char *at;

	len = bytes_trim(&p, len);
	v->kind = LINE_NONE;
	if (len == 0)
		return true;
	at = stats(p, len, which);
	v->kind = number(p, len, &v->weight) == len ||
			  (at && number(at, (size_t)(p + len - at), &v->weight))
		      ? LINE_WEIGHT
		      : LINE_BAD;
	return at || (p[0] >= '0' && p[0] <= '9') ||
	       memchr("-({", p[0], 3) != NULL;
}

bool
line_key_end(const char *p, size_t len, enum line_number which, size_t *end,
    struct line_value *v)
{
	const char *at;

	if (len < 2 || line_offset_at(p, len))
		return false;
	at = memrchr(p, ']', len);
	if (at == NULL || at + 1 == p + len || at[1] != ':')
		return false;
	*end = (size_t)(at - p);
	return value(at + 2, len - *end - 2, which, v);
}
