/* SPDX-License-Identifier: ISC */
#include "text/quote.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "io/out.h"
#include "base/utf8.h"
#include "text/json.h"

/* Whether a spreadsheet would take it for a formula; a number is none. */
static bool
is_formula(const char *p, size_t len)
{
	size_t i = 1;

	if (len == 0 || !memchr("=+-@\t\r", *p, 6))
		return false;
	while (i < len && ((p[i] >= '0' && p[i] <= '9') || p[i] == '.'))
		i++;
	return i < len || len == 1 || (*p != '-' && *p != '+');
}

void
quote_csv(const char *p, size_t len)
{
	const bool formula = is_formula(p, len);
	size_t i = 0;

	while (i < len && !memchr(",\"\r\n", p[i], 4))
		i++;
	if (i == len && !formula) {
		out_put(p, len);
		return;
	}
	out_putc('"');
	if (formula)
		out_putc('\'');
	for (i = 0; i < len; i++) {
		if (p[i] == '"')
			out_putc('"');
		out_putc(p[i]);
	}
	out_putc('"');
}

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
quote_json_to(struct buf *b, const char *text, size_t len)
{
	const char *end = text + len;

	buf_addc(b, '"');
	while (text < end) {
		size_t n = json_plain(text, end);

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

void
quote_json(const char *p, size_t len)
{
	struct buf b = BUF_INIT;

	quote_json_to(&b, p, len);
	out_put(b.p, b.len);
	buf_done(&b);
}

static size_t
step(const char *p, size_t left)
{
	size_t n = utf8_len(p, left);

	return n ? n : 1;
}

void
quote_term(const char *p, size_t len, size_t room)
{
	size_t chars = 0, from = 0;

	for (size_t i = 0; room && i < len; i += step(p + i, len - i))
		chars++;
	if (chars > room && room > 2) {
		for (; chars > room - 2; chars--)
			from += step(p + from, len - from);
		out_puts("..");
	}
	for (size_t n; from < len; from += n ? n : 1) {
		n = utf8_len(p + from, len - from);
		if (utf8_is_shown(p + from, n))
			out_put(p + from, n);
		else
			out_putc('?');
	}
}
