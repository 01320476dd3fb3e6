/* SPDX-License-Identifier: ISC */
#include "spans/select.h"

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

/*
 * Adds a glob: a POSIX basic regular expression in which `*` and `?` have
 * another meaning, for PCRE2. There `\(` groups, and `(` is a letter.
 */
static int
add_one(struct selection *s, const char *glob, size_t len)
{
	struct buf text = BUF_INIT, err = BUF_INIT;
	struct rx *rx;

	for (size_t i = 0; i < len; i++) {
		bool escaped = glob[i] == '\\' && i + 1 < len;
		char c = glob[i += escaped];

		if (!escaped && (c == '*' || c == '?')) {
			buf_adds(&text, c == '*' ? ".*" : ".");
			continue;
		}
		if (escaped != (strchr("(){}+|", c) != NULL))
			buf_addc(&text, '\\');
		buf_addc(&text, c);
	}
	rx = rx_new(text.p, text.len, &err);
	if (rx)
		*xpush(s->rx, s->n, s->cap) = rx;
	else
		msg("--trace: '%s': %s", msg_text(glob, len), buf_str(&err));
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
selection_has(const struct selection *s, struct piece name)
{
	for (size_t i = 0; i < s->n; i++)
		if (rx_match(s->rx[i], name.p, name.len) == 1)
			return true;
	return s->n == 0;
}
