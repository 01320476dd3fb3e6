/* SPDX-License-Identifier: ISC */
/* kst-clean: makes the names in stacks readable and equal. */
#include <inttypes.h>
#include <stdlib.h>

#include "clean.h"
#include "base/in.h"
#include "base/fault.h"
#include "base/msg.h"
#include "names.h"
#include "base/opt.h"
#include "base/out.h"
#include "base/summary.h"
#include "names/rules.h"
#include "text/shape.h"
#include "text/signs.h"
#include "base/xalloc.h"

struct options {
	struct names_options names;
	struct opt_list keep, rules;
	bool trim_unknown, verbose, list;
	enum shape shape;
};

static const struct opt rows[] = {
    {'g', "keep-generics", NULL, "keep <...> and <A as B>::f", OPT_LIST(keep)},
    {0, "keep-impl", NULL, "keep {impl#4}, {closure#0} and the like",
	OPT_LIST(keep)},
    {0, "keep-offset", NULL, "keep +0x1f after a name", OPT_LIST(keep)},
    {0, "keep-suffix", NULL, "keep .part.0, .cold and the like",
	OPT_LIST(keep)},
    {'u', "trim-unknown", NULL, "take ?? frames off the root side",
	OPT_FLAG(trim_unknown)},
    {'d', "demangle", NULL, "demangle C++ and Rust symbols",
	OPT_FLAG(names.demangle)},
    {'r', "rules", "FILE|NAME", "apply a rule file, or one of share/rules",
	OPT_LIST(rules)},
    {'s', "skip-to", "REGEX", "cut the leaf side down to the first match",
	OPT_LIST(rules)},
    {0, "cut-below", "REGEX", "cut the root side up to the first match",
	OPT_LIST(rules)},
    {0, "skip", "REGEX", "take matching frames out", OPT_LIST(rules)},
    {0, "drop", "REGEX", "leave out stacks with a matching frame",
	OPT_LIST(rules)},
    {0, "collapse", "REGEX", "of equal matching frames in a row keep one",
	OPT_LIST(rules)},
    {0, "rename", "REGEX=TEXT", "replace matches in names, $1 is a group",
	OPT_LIST(rules)},
    {0, "shape", "SHAPE", "the input's shape",
	OPT_CHOICE(shape, SHAPE_AUTO, SHAPE_WORDS)},
    {0, "list-rules", NULL, "print the rules that would be applied",
	OPT_FLAG(list)},
    {0, "no-default-rules", NULL, "leave the built-in rules out",
	OPT_FLAG(names.no_defaults)},
    {'v', "verbose", NULL, "say at the end what was read", OPT_FLAG(verbose)},
    {0, "summary-fd", "N", "write it to descriptor N, for programs",
	OPT_DO(summary_option)},
    {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Cleans the names in stacks; trace text and folded text keep "
	     "their shape.",
    .rows = rows,
    .examples = "kst-clean capture.txt | kst-fold | kst-svg > fg.svg\n"
		"kst-clean --rules asterinas --trim-unknown < capture.txt\n"};

static void
say_summary(const struct clean *c)
{
	msg("%" PRIu64 " stacks, %" PRIu64 " frames, %" PRIu64
	    " truncated, %" PRIu64 " dropped by rules, "
	    "%" PRIu64 " other lines",
	    c->stacks, c->frames, c->truncated, c->dropped, c->noise);
}

static void
summarize(const struct clean *c, const struct in *in)
{
	summary_in(in);
	summary_count("stacks", c->stacks);
	summary_count("frames", c->frames);
	summary_count("truncated", c->truncated);
	summary_count("dropped", c->dropped);
	summary_count("other", c->noise);
}

static int
run(const struct options *o, char **operands, int n)
{
	struct clean *c = xcalloc(1, sizeof *c);
	struct signs begin;
	struct in in;
	bool failed = false;

	c->names = names_new(&o->names);
	if (c->names == NULL)
		return EXIT_FAILED;
	clean_init(c);
	c->trim_unknown = o->trim_unknown;
	c->by_stack = o->trim_unknown || rules_count(o->names.rules) > 0;
	in_init(&in, operands, n);
	while (in_fill(&in, 1)) {
		enum shape shape = o->shape ? o->shape : shape_detect(&in);
		uint64_t stacks;

		signs_look(&begin, &in);
		stacks = shape == SHAPE_FOLDED ? clean_folded(c, &in)
					       : clean_trace(c, &in);
		if (stacks == 0) {
			signs_say_none(&begin, "stack");
			failed = true;
		}
	}
	failed |= fault_sum(c->faults, CLEAN_FAULTS) > 0 || in_failed(&in);
	if (o->verbose)
		say_summary(c);
	summarize(c, &in);
	in_done(&in);
	names_free(c->names);
	clean_done(c);
	free(c);
	return failed ? EXIT_FAILED : EXIT_OK;
}

int
main(int argc, char **argv)
{
	struct options o = {.shape = SHAPE_AUTO};
	struct buf without = BUF_INIT;
	int first, status = EXIT_OK;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	o.names.rules = rules_new();
	names_add_rules(o.names.rules, &o.rules);
	for (size_t i = 0; i < o.keep.n; i++) /* the group after `keep-` */
		buf_printf(&without, "%s,", o.keep.use[i].name + 5);
	o.names.without = without.len ? buf_str(&without) : NULL;
	if (o.list)
		names_list_rules(&o.names);
	else
		status = run(&o, argv + first, argc - first);
	if (out_close() != 0)
		status = EXIT_SYSTEM;
	rules_free(o.names.rules);
	opt_list_done(&o.rules);
	opt_list_done(&o.keep);
	buf_done(&without);
	return status;
}
