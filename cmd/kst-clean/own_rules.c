/* SPDX-License-Identifier: ISC */
/* The user's rules: as options give them, and as --list-rules prints them. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/opt.h"
#include "base/out.h"
#include "names.h"
#include "names/rules.h"

static void
add_rule(struct rules *r, const char *action, const char *arg)
{
	size_t len = strlen(arg), pattern = len, rest = len;
	struct buf err = BUF_INIT;

	if (strcmp(action, "rename") == 0) {
		const char *eq = strrchr(arg, '=');

		if (eq == NULL)
			opt_wrong("--rename: '%s' is not REGEX=TEXT",
			    msg_text(arg, len));
		pattern = (size_t)(eq - arg);
		rest = pattern + 1;
	}
	if (rules_add(r, action, arg, pattern, arg + rest, len - rest, &err) !=
	    0)
		opt_wrong(
		    "--%s '%s': %s", action, msg_text(arg, len), buf_str(&err));
	buf_done(&err);
}

void
names_add_rules(struct rules *r, const struct opt_list *options)
{
	for (size_t i = 0; i < options->n; i++) {
		const struct opt_use *u = &options->use[i];

		if (strcmp(u->name, "rules") != 0)
			add_rule(r, u->name, u->arg);
		else if (rules_add_file(r, u->arg) != 0)
			exit(msg_status(EXIT_USAGE));
	}
}

void
names_list_rules(const struct names_options *o)
{
	struct buf text = BUF_INIT;

	if (!o->no_defaults)
		rules_text(names_default_rules, strlen(names_default_rules),
		    o->without, &text);
	rules_list(o->rules, &text);
	out_put(text.p, text.len);
	buf_done(&text);
}
