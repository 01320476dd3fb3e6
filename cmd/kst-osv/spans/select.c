/* SPDX-License-Identifier: ISC */
#include "tps.h"

#include <errno.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/xalloc.h"

struct selection {
	regex_t *rx;
	size_t n;
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
	struct buf rx = BUF_INIT;
	char reason[200];
	int err;

	for (size_t i = 0; i < len; i++) {
		if (glob[i] == '*')
			buf_addc(&rx, '.');
		buf_addc(&rx, glob[i] == '?' ? '.' : glob[i]);
	}
	s->rx = xreallocn(s->rx, s->n + 1, sizeof *s->rx);
	err = regcomp(&s->rx[s->n], buf_str(&rx), REG_NOSUB);
	buf_done(&rx);
	if (err == 0) {
		s->n++;
		return 0;
	}
	if (err == REG_ESPACE)
		msg_system();
	regerror(err, NULL, reason, sizeof reason);
	msg("--trace: '%s': %s", msg_text(glob, len), reason);
	return -1;
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
	char *copy;
	int err = REG_NOMATCH;

	if (s->n == 0)
		return true;
	copy = xmemdup0(name, len);
	errno = 0;
	for (size_t i = 0; i < s->n && err == REG_NOMATCH; i++)
		err = regexec(&s->rx[i], copy, 0, NULL, 0);
	if (errno == ENOMEM) /* which glibc takes for no match */
		msg_die(EXIT_SYSTEM, "out of memory");
	free(copy);
	return err == 0;
}
