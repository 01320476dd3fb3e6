/* SPDX-License-Identifier: ISC */
/* kst-console: backtraces in logs and of debuggers, as trace text. */
#include "console.h"

#include <inttypes.h>

#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "io/out.h"
#include "rights/rights.h"
#include "io/share.h"
#include "names/rulefile.h"
#include "names/rules.h"
#include "opt/opt.h"
#include "trace/signs.h"

struct options {
	const char *rules;
	bool unsure;
};

static const struct opt rows[] = {
    {'r', "rules", "FILE|NAME",
	"use only this rule file, or the one of this name in share/console",
	OPT_TEXT(rules), .data = "console"},
    {0, "unsure", NULL, "keep frames that Linux marks with ?, as NAME_[?]",
	OPT_FLAG(unsure)},
    {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Makes trace text of backtraces in logs of kernels, and of those "
	     "of lldb and crash.",
    .rows = rows,
    .examples =
	"kst-console dmesg.txt | kst-clean | kst-fold | kst-svg > fg.svg\n"
	"kst-console --rules xv6 xv6.log | kst-sym -e kernel.elf\n"};

/* Returns false after a message. */
static bool
add_rules(void *console, const char *name)
{
	struct console *c = console;
	struct format *f = xpush(c->formats, c->n, c->cap);
	const char *base = port_basename(name);

	f->stacks = 0;
	f->name = xmemdup0(base, strcspn(base, "."));
	f->rules = rules_new();
	c->wrong |= rules_add_file(f->rules, "console", name, NULL) != 0;
	return !c->wrong;
}

/* The rule file that was asked for, or all that are installed. */
static int
read_rules(struct console *c, const char *name)
{
	c->named = name != NULL;
	c->prefix = rules_new();
	c->wrong = rules_add_file(c->prefix, "console", "prefix", NULL) != 0;
	if (name) {
		add_rules(c, name);
	} else if (share_each("console", ".rules", add_rules, c) != 0) {
		msg_errno("the rules in share/console");
		c->wrong = true;
	}
	return c->wrong ? -1 : 0;
}

static int
run(struct console *c, char **files, int n_files)
{
	uint64_t faults;

	in_init(&c->in, files, n_files);
	c->faults[MANY_RULES].what = "first line of several rules";
	c->faults[TOO_MUCH].what =
	    "line on which a pattern takes too many steps";
	c->faults[TOO_LONG].what = "frame of a stack that is too deep";
	faults = signs_files(&c->in, log_read, c);
	for (size_t i = 0; !c->named && i < c->n; i++)
		if (c->formats[i].stacks)
			msg("%" PRIu64 " stacks by rules %s",
			    c->formats[i].stacks, c->formats[i].name);
	msg_count(c->unsure_frames, "unsure frames left out");
	msg_count(c->between, "lines between frames left out");
	msg_count(c->empty, "stacks without a frame left out");
	faults += fault_sum(c->faults, FAULTS) + in_failed(&c->in);
	in_done(&c->in);
	return faults ? EXIT_FAILED : EXIT_OK;
}

int
main(int argc, char **argv)
{
	static struct console c;
	struct options o = {0};
	int first;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	if (read_rules(&c, o.rules) != 0)
		return msg_status(EXIT_USAGE);
	rights_files(argv + first, argc - first);
	c.unsure = o.unsure;
	return out_end(run(&c, argv + first, argc - first));
}
