/* SPDX-License-Identifier: ISC */
#include "spans/tps.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "names/rx.h"

struct selection {
	struct rx **rx;
	size_t n, cap;
};

struct selection *
selection_new(void)
{
	return xcalloc(1, sizeof(struct selection));
}

void
selection_free(struct selection *s)
{
	for (size_t i = 0; i < s->n; i++)
		rx_free(s->rx[i]);
	free(s->rx);
	free(s);
}

/* Copies a bracket expression, in which POSIX knows no backslash. */
static size_t
add_brackets(struct buf *rx, const char *p, size_t len)
{
	size_t n = 1;

	n += n < len && p[n] == '^';
	n += n < len && p[n] == ']';
	while (n < len && p[n] != ']') {
		const char *end = NULL;

		if (p[n] == '[' && n + 1 < len && p[n + 1] == ':')
			end = memmem(p + n, len - n, ":]", 2);
		n = end ? (size_t)(end + 2 - p) : n + 1;
	}
	n += n < len;
	for (size_t i = 0; i < n; i++) {
		if (p[i] == '\\')
			buf_addc(rx, '\\');
		buf_addc(rx, p[i]);
	}
	return n;
}

/* A POSIX basic regular expression, with GNU's \+ \? \| \< \>, for PCRE2. */
static void
add_basic(struct buf *rx, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = p[i], next = i + 1 < len ? p[i + 1] : 0;
		bool begin = i == 0 || (i > 1 && p[i - 2] == '\\' &&
					   strchr("(|", p[i - 1]) != NULL);

		if (c == '[') {
			i += add_brackets(rx, p + i, len - i) - 1;
		} else if (c == '\\' && next != 0) {
			i++;
			if (next == '<' || next == '>')
				buf_adds(rx, "\\b");
			else if (strchr("(){}+?|", next) == NULL)
				buf_addc(rx, c);
			if (next != '<' && next != '>')
				buf_addc(rx, next);
		} else {
			if (strchr("(){}+|", c) != NULL ||
			    (c == '^' && !begin) ||
			    (c == '$' && next != 0 && next != '\\'))
				buf_addc(rx, '\\');
			buf_addc(rx, c);
		}
	}
}

static int
add_one(struct selection *s, const char *glob, size_t len)
{
	struct buf basic = BUF_INIT, text = BUF_INIT, err = BUF_INIT;
	struct rx *rx;

	for (size_t i = 0; i < len; i++) {
		if (glob[i] == '*')
			buf_addc(&basic, '.');
		buf_addc(&basic, glob[i] == '?' ? '.' : glob[i]);
	}
	add_basic(&text, basic.p, basic.len);
	rx = rx_new(text.p, text.len, &err);
	if (rx)
		*xpush(s->rx, s->n, s->cap) = rx;
	else
		msg("--trace: '%s': %s", msg_text(glob, len), buf_str(&err));
	buf_done(&basic);
	buf_done(&text);
	buf_done(&err);
	return rx ? 0 : -1;
}

int
selection_add(struct selection *s, const char *list)
{
	while (*list) {
		size_t len = strcspn(list, ", \t");

		if (len > 0 && add_one(s, list, len) != 0)
			return -1;
		list += len + (list[len] != 0);
	}
	return 0;
}

bool
selection_has(const struct selection *s, const char *name, size_t len)
{
	for (size_t i = 0; i < s->n; i++)
		if (rx_match(s->rx[i], name, len) == 1)
			return true;
	return s->n == 0;
}
