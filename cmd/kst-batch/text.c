/* SPDX-License-Identifier: ISC */
/* What a name looks like where any byte of it could be taken for syntax. */
#include "text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

void
words_add(struct words *w, const char *s)
{
	w->v = xreallocn(w->v, w->n + 2, sizeof *w->v);
	w->v[w->n++] = xstrdup(s);
	w->v[w->n] = NULL;
}

void
words_done(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	w->v = NULL;
	w->n = 0;
}

/* One word at *p, without its quotes. */
static int
word(const char **p, struct buf *b)
{
	const char *s = *p;
	char quote = 0;

	for (; *s && (quote || !strchr(" \t\n", *s)); s++) {
		if (quote == 0 && (*s == '\'' || *s == '"')) {
			quote = *s;
		} else if (*s == quote) {
			quote = 0;
		} else if (*s == '\\' && quote != '\'' && s[1] &&
			   (!quote || strchr("\"\\$`", s[1]))) {
			buf_addc(b, *++s);
		} else {
			buf_addc(b, *s);
		}
	}
	*p = s;
	return quote ? -1 : 0;
}

int
words_split(struct words *w, const char *text)
{
	struct buf b = BUF_INIT;
	int status = 0;

	for (;;) {
		text += strspn(text, " \t\n");
		if (*text == 0)
			break;
		b.len = 0;
		if (word(&text, &b) != 0) {
			status = -1;
			break;
		}
		words_add(w, buf_str(&b));
	}
	buf_done(&b);
	return status;
}

void
text_encode(struct buf *b, const char *s, size_t len, bool strict)
{
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c == 0x7f || c == '%' ||
		    (strict &&
			!(c < 0x80 && (isalnum(c) || strchr("._/-", c)))))
			buf_printf(b, "%%%02X", c);
		else
			buf_addc(b, (char)c);
	}
}

static int
hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

size_t
text_decode(char *s)
{
	char *to = s, *from = s;

	while (*from) {
		if (*from == '%' && hex(from[1]) >= 0 && hex(from[2]) >= 0) {
			*to++ = (char)(hex(from[1]) * 16 + hex(from[2]));
			from += 3;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
	return (size_t)(to - s);
}

char *
text_field(char **p, char sep)
{
	char *s = *p, *end;

	if (s == NULL)
		return NULL;
	end = strchr(s, sep);
	*p = end ? end + 1 : NULL;
	if (end)
		*end = 0;
	return s;
}
