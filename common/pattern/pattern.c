/* SPDX-License-Identifier: ISC */
#include "pattern/pattern.h"

#include <string.h>

#include "base/buf.h"
#include "names/demangle.h"
#include "names/rx.h"

/* Appends the pattern; one that is a whole mangled name matches both names. */
static void
add_both(const char *arg, struct buf *b)
{
	const size_t len = strlen(arg), from = *arg == '^',
		     to = len > from && arg[len - 1] == '$' ? len - 1 : len;
	struct buf plain = BUF_INIT;

	if (demangle_plain(arg + from, to - from, &plain))
		buf_printf(b, "%s(?:%.*s|\\Q%s\\E)%s", from ? "^" : "",
		    (int)(to - from), arg + from, buf_str(&plain), arg + to);
	else
		buf_adds(b, arg);
	buf_done(&plain);
}

int
pattern_option(void *rx, const char *arg, struct buf *err)
{
	struct rx **to = rx;
	struct buf why = BUF_INIT, both = BUF_INIT;

	rx_free(*to);
	add_both(arg, &both);
	*to = rx_new(buf_str(&both), both.len, &why);
	buf_done(&both);
	if (*to == NULL)
		buf_printf(err, "is not a valid pattern: %s", buf_str(&why));
	buf_done(&why);
	return *to ? 0 : -1;
}

int
patterns_option(void *patterns, const char *arg, struct buf *err)
{
	struct patterns *p = patterns;

	if (p->n == WHILE_MAX) {
		buf_printf(err, "is one pattern more than %d", WHILE_MAX);
		return -1;
	}
	return pattern_option(&p->v[p->n++], arg, err);
}

void
patterns_done(struct patterns *p)
{
	for (size_t i = 0; i < p->n; i++)
		rx_free(p->v[i]);
	p->n = 0;
}
