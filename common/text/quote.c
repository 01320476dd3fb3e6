/* SPDX-License-Identifier: ISC */
#include "text/quote.h"

#include <stdbool.h>
#include <string.h>

#include "base/out.h"
#include "base/utf8.h"

void
quote_csv(const char *p, size_t len)
{
	size_t i = 0;

	while (i < len && !memchr(",\"\r\n", p[i], 4))
		i++;
	if (i == len) {
		out_put(p, len);
		return;
	}
	out_putc('"');
	for (i = 0; i < len; i++) {
		if (p[i] == '"')
			out_putc('"');
		out_putc(p[i]);
	}
	out_putc('"');
}

void
quote_json(const char *p, size_t len)
{
	out_putc('"');
	for (size_t i = 0; i < len;) {
		size_t n = utf8_len(p + i, len - i);
		unsigned char c = (unsigned char)p[i];

		if (n == 0)
			out_puts("\xef\xbf\xbd");
		else if (c < 0x20)
			out_printf("\\u%04x", c);
		else if (c == '"' || c == '\\')
			out_printf("\\%c", c);
		else
			out_put(p + i, n);
		i += n ? n : 1;
	}
	out_putc('"');
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
	for (size_t n; from < len; from += n) {
		unsigned char c = (unsigned char)p[from];

		n = step(p + from, len - from);
		if (c < 0x20 || c == 0x7f || utf8_len(p + from, n) == 0 ||
		    utf8_is_c1(p + from, n))
			out_putc('?');
		else
			out_put(p + from, n);
	}
}
