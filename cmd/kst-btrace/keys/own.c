/* SPDX-License-Identifier: ISC */
#include "keys/own.h"
#include "keys/key.h"
#include "run.h"

#include "base/buf.h"
#include "base/msg.h"
#include "names/rulefile.h"
#include "names/rules.h"

static const char file[] = "openbsd-dt";

/* An entry is searched among so many frames: dt(4) saves 19. */
enum { ENTRY_WITHIN = 20 };

int
own_load(struct rules *rules, const char *context, const char *arch)
{
	struct rules *of_arch = rules_new();
	struct buf groups = BUF_INIT;
	int status = EXIT_FAILED;

	buf_printf(&groups, "*-%s", arch ? arch : "");
	if (rules_add_file(of_arch, "rules", file, buf_str(&groups)) == 0) {
		groups.len = 0;
		buf_printf(
		    &groups, "%s,%s-%s", context, context, arch ? arch : "*");
		if (rules_add_file(rules, "rules", file, buf_str(&groups)) == 0)
			status = EXIT_OK;
		if (arch && rules_count(of_arch) == 0) {
			msg("--arch: no rules for '%s' in %s.rules",
			    msg_str(arch), file);
			status = EXIT_USAGE;
		}
	}
	rules_free(of_arch);
	buf_done(&groups);
	return status;
}

static unsigned
flags_of(struct rules *rules, struct piece frame, struct buf *name)
{
	struct piece f = frame_name(frame, false);

	name->len = 0;
	buf_add(name, f.p, f.len);
	return rules_apply(rules, name);
}

size_t
own_count(
    struct rules *rules, const struct piece *frames, size_t n, struct buf *name)
{
	size_t run = 0, i;
	bool in_run = true;

	for (i = 0; i < n && i < ENTRY_WITHIN; i++) {
		unsigned flags = flags_of(rules, frames[i], name);

		if (flags & RULE_SKIP_PAST) { /* an entry may be two frames */
			do
				i++;
			while (i < n && flags_of(rules, frames[i], name) &
					    RULE_SKIP_PAST);
			return i;
		}
		in_run &= (flags & RULE_SKIP) != 0;
		if (in_run)
			run = i + 1;
		else if (run == 0)
			return 0;
	}
	return run;
}
