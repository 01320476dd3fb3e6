/* SPDX-License-Identifier: ISC */
/* Knows how names of an OS file are compared with those of symbols. */
#include "guest/osrules.h"

#include <fnmatch.h>
#include <string.h>

#include "base/buf.h"
#include "base/msg.h"
#include "elf/elfsym.h"
#include "guest/osfile.h"
#include "names/demangle.h"
#include "unwind/saved.h"

/* The linker's name, or what it means. */
static bool
fits(const char *pattern, const struct elfsym_func *f, const char *plain)
{
	return fnmatch(pattern, f->name, 0) == 0 ||
	       (plain != NULL && fnmatch(pattern, plain, 0) == 0);
}

static void
set_entry(
    const struct os_rule *r, const struct unwind_abi *abi, struct saved *s)
{
	const uint8_t reg[OS_SAVED] = {abi->pc, abi->sp, abi->fp, abi->ra};

	memset(s, 0, sizeof *s);
	memset(s->at, 0xff, sizeof s->at);
	/* The address itself last: on x86_64 it is the return address, too. */
	for (int i = OS_SAVED; i-- > 0;)
		if (r->saved[i] >= 0)
			s->at[reg[i]] = r->saved[i];
	s->status = r->saved[OS_SAVED];
}

void
osrules_apply(const struct osfile *os, const struct elfsym *sym,
    const struct unwind_abi *abi, struct unwind_module *m)
{
	struct buf plain = BUF_INIT;
	struct elfsym_func f;
	struct saved saved;
	size_t found = 0;

	for (size_t i = 0; os->n_rule > 0 && elfsym_nth(sym, i, &f); i++) {
		plain.len = 0;
		demangle_name(f.name, f.len, &plain);
		for (size_t k = 0; k < os->n_rule; k++) {
			const struct os_rule *r = &os->rule[k];

			if (!fits(r->name, &f,
				plain.len > 0 ? buf_str(&plain) : NULL))
				continue;
			found++;
			set_entry(r, abi, &saved);
			unwind_module_rule(m, f.start - elfsym_bias(sym),
			    f.end - elfsym_bias(sym), r->root ? NULL : &saved);
			break;
		}
	}
	buf_done(&plain);
	if (os->n_rule > 0 && found == 0)
		msg("%s has none of the functions that the OS file names",
		    msg_str(elfsym_path(sym)));
}
