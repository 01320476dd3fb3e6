/* SPDX-License-Identifier: ISC */
#include "spans/tps.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/xalloc.h"

struct selection {
	regex_t *rx;
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
		regfree(&s->rx[i]);
	free(s->rx);
	free(s);
}

static int
add_one(struct selection *s, const char *glob, size_t len)
{
	struct buf basic = BUF_INIT;
	regex_t rx;
	int wrong;

	for (size_t i = 0; i < len; i++) {
		if (glob[i] == '*')
			buf_addc(&basic, '.');
		buf_addc(&basic, glob[i] == '?' ? '.' : glob[i]);
	}
	wrong = regcomp(&rx, buf_str(&basic), REG_NOSUB);
	if (wrong)
		msg("--trace: '%s': not a basic regular expression",
		    msg_text(glob, len));
	else
		*xpush(s->rx, s->n, s->cap) = rx;
	buf_done(&basic);
	return wrong ? -1 : 0;
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
	char *text = s->n ? xmemdup0(name, len) : NULL;
	bool has = s->n == 0;

	for (size_t i = 0; !has && i < s->n; i++)
		has = regexec(&s->rx[i], text, 0, NULL, 0) == 0;
	free(text);
	return has;
}
