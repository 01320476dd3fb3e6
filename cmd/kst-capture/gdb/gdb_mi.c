/* SPDX-License-Identifier: ISC */
/* Parses gdb's quoting. */
#include "gdb/gdb_mi.h"
#include "base/bytes.h"

#include <string.h>

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

void
mi_parse(const char *line, size_t len, struct mi_record *r)
{
	const char *p = line, *end;

	if (len > 0 && line[len - 1] == '\r')
		len--;
	end = line + len;
	memset(r, 0, sizeof *r);
	while (p < end && is_digit(*p) && p - line < 18)
		r->token = r->token * 10 + (unsigned long)(*p++ - '0');
	r->has_token = p > line;
	if (p == end)
		return;
	switch (*p) {
	case '^':
		r->kind = MI_RESULT;
		break;
	case '*':
		r->kind = MI_EXEC;
		break;
	case '=':
		r->kind = MI_NOTIFY;
		break;
	case '~':
		r->kind = MI_CONSOLE;
		r->rest = p + 1;
		r->rest_len = (size_t)(end - p - 1);
		return;
	default:
		if (end - p >= 5 && memcmp(p, "(gdb)", 5) == 0)
			r->kind = MI_PROMPT;
		return;
	}
	r->class = ++p;
	while (p < end && *p != ',')
		p++;
	r->class_len = (size_t)(p - r->class);
	r->rest = p;
	r->rest_len = (size_t)(end - p);
}

bool
mi_is(const struct mi_record *r, enum mi_kind kind, const char *class)
{
	return r->kind == kind && bytes_is(r->class, r->class_len, class);
}

int
mi_quote(struct buf *b, const char *s)
{
	if (strpbrk(s, "\n\r"))
		return -1;
	buf_addc(b, '"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			buf_addc(b, '\\');
		buf_addc(b, *s);
	}
	buf_addc(b, '"');
	return 0;
}

/* The byte of an escape after its backslash; *p moves after it. */
static char
unescape(const char **p, const char *end)
{
	static const char names[] = "abefnrtv";
	static const char bytes[] = "\a\b\033\f\n\r\t\v";
	const char *name;
	unsigned v = 0;

	if (**p >= '0' && **p <= '7') {
		for (int i = 0; i < 3 && *p < end && **p >= '0' && **p <= '7';
		     i++)
			v = v * 8 + (unsigned)(*(*p)++ - '0');
		return (char)v;
	}
	name = strchr(names, **p);
	if (name && *name) {
		++*p;
		return bytes[name - names];
	}
	return *(*p)++;
}

int
mi_unquote(const char *p, size_t len, struct buf *out)
{
	const char *end = p + len;

	if (p == end || *p++ != '"')
		return -1;
	while (p < end && *p != '"') {
		if (*p == '\\' && p + 1 < end) {
			p++;
			buf_addc(out, unescape(&p, end));
		} else {
			buf_addc(out, *p++);
		}
	}
	return p < end ? 0 : -1;
}

int
mi_value(const struct mi_record *r, const char *name, struct buf *out)
{
	size_t n = strlen(name);
	const char *p = r->rest, *end;

	if (r->rest_len == 0) /* p may be NULL */
		return -1;
	end = p + r->rest_len;
	for (; (size_t)(end - p) > n + 2; p++)
		if ((p[0] == ',' || p[0] == '{') &&
		    memcmp(p + 1, name, n) == 0 && p[n + 1] == '=')
			return mi_unquote(
			    p + n + 2, (size_t)(end - p) - n - 2, out);
	return -1;
}
