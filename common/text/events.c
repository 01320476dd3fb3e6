/* SPDX-License-Identifier: ISC */
/* Splits, escapes and writes lines of event text. */
#include "text/events.h"

#include <string.h>

#include "base/buf.h"
#include "io/out.h"

/* Eight digits at p as a number; false if one of them is not a digit. */
static bool
eight_digits(const char *p, uint64_t *val)
{
	const uint64_t ones = 0x0101010101010101, high = ones * 0xf0,
		       pairs = 0x000000ff000000ff;
	uint64_t w;

	memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
	w = __builtin_bswap64(w);
#endif
	if (((w & high) | ((w + ones * 6) & high) >> 4) != ones * 0x33)
		return false;
	w -= ones * '0';
	w = w * 10 + (w >> 8); /* in every other byte: two digits */
	*val = ((w & pairs) * (100 + ((uint64_t)1000000 << 32)) +
		   (w >> 16 & pairs) * (1 + ((uint64_t)10000 << 32))) >>
	       32;
	return true;
}

/*
 * Reads the digits that the text begins with; returns how many there are, 0 if
 * their number does not fit. Times have 19 of them, sixteen of which are taken
 * by eights.
 */
static size_t
read_time(const char *p, size_t len, uint64_t *time)
{
	uint64_t v = 0, part;
	size_t n = 0;
	unsigned d;

	for (; n < 16 && len - n >= 8 && eight_digits(p + n, &part); n += 8)
		v = v * 100000000 + part;
	for (; n < len && (d = (unsigned char)p[n] - '0') <= 9; n++) {
		if (__builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, d, &v))
			return 0;
	}
	*time = v;
	return n;
}

enum event_line
event_parse(const char *line, size_t len, struct event *e)
{
	const char *end, *p, *tab;
	size_t n;

	while (len > 0 && line[len - 1] == '\r')
		len--;
	if (len == 0 || line[0] == '#')
		return EVENT_BLANK;
	end = line + len;
	n = read_time(line, len, &e->time);
	p = line + n;
	if (n == 0 || p == end || *p++ != '\t')
		return EVENT_BAD;
	tab = memchr(p, '\t', (size_t)(end - p));
	if (tab == NULL || tab == p || end - tab < 4 || tab[2] != '\t')
		return EVENT_BAD;
	e->track = p;
	e->track_len = (size_t)(tab - p);
	e->kind = (enum event_kind)tab[1];
	if (tab[1] != 'B' && tab[1] != 'E' && tab[1] != 'I' && tab[1] != 'L')
		return EVENT_BAD;
	e->name = p = tab + 3;
	tab = memchr(p, '\t', (size_t)(end - p));
	e->name_len = (size_t)((tab ? tab : end) - p);
	e->args = tab ? tab + 1 : NULL;
	e->args_len = tab ? (size_t)(end - e->args) : 0;
	return e->name_len ? EVENT_OK : EVENT_BAD;
}

size_t
event_u64(char *p, uint64_t v)
{
	char tmp[20];
	size_t at = sizeof tmp;

	do
		tmp[--at] = (char)('0' + v % 10);
	while ((v /= 10) > 0);
	memcpy(p, tmp + at, sizeof tmp - at);
	return sizeof tmp - at;
}

void
event_put(const struct event *e)
{
	char time[20];

	out_put(time, event_u64(time, e->time));
	out_putc('\t');
	out_put(e->track, e->track_len);
	out_putc('\t');
	out_putc((char)e->kind);
	out_putc('\t');
	out_put(e->name, e->name_len);
	if (e->args && e->args_len) {
		out_putc('\t');
		out_put(e->args, e->args_len);
	}
	out_putc('\n');
}

/* Bytes that have an escape of their own, and its letters. */
static const char bare[] = "\\\t\n\r", letters[] = "\\tnr";

static void
add_hex(struct buf *b, unsigned char c)
{
	static const char digit[] = "0123456789abcdef";
	char esc[4] = {'\\', 'x', digit[c >> 4], digit[c & 15]};

	buf_add(b, esc, sizeof esc);
}

static void
escape(struct buf *b, const char *text, size_t len)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)text[i];
		const char *at;

		if (c >= 0x20 && c != 0x7f && c != '\\')
			continue;
		buf_add(b, text + from, i - from);
		from = i + 1;
		at = memchr(bare, c, 4);
		if (at == NULL) {
			add_hex(b, c);
			continue;
		}
		buf_addc(b, '\\');
		buf_addc(b, letters[at - bare]);
	}
	if (from < len)
		buf_add(b, text + from, len - from);
}

void
event_escape(struct buf *b, const char *text, size_t len)
{
	if (len == 0)
		buf_add(b, "??", 2);
	escape(b, text, len);
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* The byte that the escape at p means into *c; its length, 0 if wrong. */
static size_t
unescape_one(const char *p, size_t left, char *c)
{
	const char *at = left > 1 ? memchr(letters, p[1], 4) : NULL;

	if (at) {
		*c = bare[at - letters];
		return 2;
	}
	if (left < 4 || p[1] != 'x' || hex_digit(p[2]) < 0 ||
	    hex_digit(p[3]) < 0)
		return 0;
	*c = (char)(hex_digit(p[2]) << 4 | hex_digit(p[3]));
	return 4;
}

void
event_unescape(struct buf *b, const char *field, size_t len)
{
	for (size_t i = 0, used; i < len; i += used ? used : 1) {
		char c = field[i];

		used = c == '\\' ? unescape_one(field + i, len - i, &c) : 0;
		buf_addc(b, c);
	}
}

void
event_split_args(const struct event *e, struct event_args *a)
{
	const char *p = e->args;
	size_t len = p ? e->args_len : 0;

	a->repaired = len > 0 && p[0] == '~' && (len == 1 || p[1] == ' ');
	if (a->repaired) {
		size_t skip = len > 1 ? 2 : 1;

		p += skip;
		len -= skip;
	}
	a->mark = EVENT_TEXT;
	if (len >= 2 && (p[0] == '=' || p[0] == '!') && p[1] == ' ') {
		a->mark = (enum event_mark)p[0];
		p += 2;
		len -= 2;
	}
	a->text = p;
	a->len = len;
}

uint64_t
event_lost(const struct event_args *a)
{
	uint64_t n = 0;

	for (size_t i = 0; i < a->len && i < 18; i++) {
		if (a->text[i] < '0' || a->text[i] > '9')
			break;
		n = n * 10 + (uint64_t)(a->text[i] - '0');
	}
	return n ? n : 1;
}

void
event_add_args(struct buf *b, const struct event_args *a)
{
	const char *text = a->text;
	size_t len = a->len;

	if (a->repaired)
		buf_add(b, "~ ", len || a->mark ? 2 : 1);
	if (a->mark) {
		buf_addc(b, (char)a->mark);
		buf_addc(b, ' ');
	} else if (len && (*text == '~' || *text == '=' || *text == '!')) {
		add_hex(b, (unsigned char)*text++);
		len--;
	}
	escape(b, text, len);
}
