/* SPDX-License-Identifier: ISC */
/* gdb's quoting, and stacks that its backtrace limit has cut. */
#include "gdb/gdb_mi.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "guest/sample.h"

void
mi_parse(const char *line, size_t len, struct mi_record *r)
{
	const char *p = line, *end;

	if (len > 0 && line[len - 1] == '\r')
		len--;
	end = line + len;
	memset(r, 0, sizeof *r);
	while (p < end && isdigit((unsigned char)*p) && p - line < 18)
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
	case '&':
		r->kind = *p == '~' ? MI_CONSOLE : MI_LOG;
		r->rest = p + 1;
		r->rest_len = (size_t)(end - p - 1);
		return;
	default:
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

static void
count_stacks(struct sample *s)
{
	const char *p = s->text.p, *end = p + s->text.len, *nl;

	for (; p < end && (nl = memchr(p, '\n', (size_t)(end - p)));
	     p = nl + 1) {
		size_t len = (size_t)(nl - p);

		if (bytes_starts(p, len, "#0  "))
			sample_stack(s, leaf_address(p + 4, nl), false);
		else if (bytes_starts(p, len, "Backtrace stopped:"))
			ends_note(&s->ends, p, len);
		if (*p == '#' && memmem(p, len, " in <", 5) == NULL) {
			s->frames++;
			s->named += memmem(p, len, " ?? ", 4) == NULL;
		}
	}
}

/* Appends the line that marks a cut stack to each that has a frame `last`. */
static void
mark_cut(struct buf *text, const char *last, int frames_max)
{
	struct buf whole = BUF_INIT;
	const char *at = text->p, *end = at + text->len, *hit;

	while ((hit = memmem(at, (size_t)(end - at), last, strlen(last)))) {
		const char *nl = memchr(hit + 1, '\n', (size_t)(end - hit - 1));

		nl = nl ? nl + 1 : end;
		buf_add(&whole, at, (size_t)(nl - at));
		buf_printf(&whole, "Backtrace stopped: limit of %d frames\n",
		    frames_max);
		at = nl;
	}
	buf_add(&whole, at, (size_t)(end - at));
	buf_done(text);
	*text = whole;
}

void
gdb_text_finish(struct sample *s, int frames_max)
{
	char last[24];
	int n = snprintf(last, sizeof last, "\n#%d ", frames_max - 1);

	if (s->text.len == 0)
		return;
	if (memmem(s->text.p, s->text.len, last, (size_t)n))
		mark_cut(&s->text, last, frames_max);
	if (s->text.p[s->text.len - 1] != '\n')
		buf_addc(&s->text, '\n');
	count_stacks(s);
}
