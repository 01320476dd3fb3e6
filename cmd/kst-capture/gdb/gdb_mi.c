/* SPDX-License-Identifier: ISC */
/* Quotes and unquotes text for gdb, and counts the stacks of its backtraces. */
#include "gdb/gdb.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "guest/sample.h"

void
mi_quote(struct buf *b, const char *s)
{
	buf_addc(b, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_addc(b, '\\');
		buf_addc(b, *s);
	}
	buf_addc(b, '"');
}

/* The byte of an escape after its backslash; *p moves after it. */
static char
unescape(const char **p)
{
	static const char names[] = "abefnrtv";
	static const char bytes[] = "\a\b\033\f\n\r\t\v";
	const char *name = strchr(names, **p);
	unsigned v = 0;

	if (**p >= '0' && **p <= '7') {
		for (int i = 0; i < 3 && **p >= '0' && **p <= '7'; i++)
			v = v * 8 + (unsigned)(*(*p)++ - '0');
		return (char)v;
	}
	return name ? ++*p, bytes[name - names] : *(*p)++;
}

int
mi_unquote(const char *p, struct buf *out)
{
	if (*p++ != '"')
		return -1;
	while (*p != 0 && *p != '"') {
		if (*p == '\\' && p[1] != 0) {
			p++;
			buf_addc(out, unescape(&p));
		} else {
			buf_addc(out, *p++);
		}
	}
	return *p == '"' ? 0 : -1;
}

int
mi_value(const char *line, const char *name, struct buf *out)
{
	const size_t n = strlen(name);

	for (const char *p = line; (p = strpbrk(p, ",{")) != NULL;)
		if (strncmp(++p, name, n) == 0 && p[n] == '=')
			return mi_unquote(p + n + 1, out);
	return -1;
}

/* The address of a leaf frame, `0x... in f ()`; 0 if it has none. */
static uint64_t
leaf_address(const char *p, const char *end)
{
	const char *stop = memchr(p, ' ', (size_t)(end - p));
	uint64_t addr;

	if (stop == NULL || stop - p < 3 || memcmp(p, "0x", 2) != 0 ||
	    num_hex(p + 2, (size_t)(stop - p) - 2, &addr) != 0)
		return 0;
	return addr;
}

void
gdb_text_finish(struct sample *s)
{
	const char *p, *end, *nl;

	if (s->text.len == 0)
		return;
	if (s->text.p[s->text.len - 1] != '\n')
		buf_addc(&s->text, '\n');
	end = s->text.p + s->text.len;
	for (p = s->text.p; p < end; p = nl + 1) {
		size_t len;

		nl = memchr(p, '\n', (size_t)(end - p));
		len = (size_t)(nl - p);
		if (bytes_starts(p, len, "#0  "))
			sample_stack(s, leaf_address(p + 4, nl), false);
		else if (bytes_starts(p, len, "Backtrace stopped:") ||
			 bytes_starts(p, len, "(More "))
			ends_note(s->n, p, len);
		if (*p == '#' && memmem(p, len, " in <", 5) == NULL) {
			s->n[COUNT_FRAMES]++;
			s->n[COUNT_NAMED] += memmem(p, len, " ?? ", 4) == NULL;
		}
	}
}
