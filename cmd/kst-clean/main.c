/* SPDX-License-Identifier: ISC */
/* kst-clean: makes the names in stacks readable and equal. */
#include <stdlib.h>

#include "clean.h"
#include "opt/each.h"
#include "io/in.h"
#include "io/fault.h"
#include "rights/rights.h"
#include "base/msg.h"
#include "names.h"
#include "opt/opt.h"
#include "io/out.h"
#include "names/rules.h"
#include "trace/shape.h"
#include "base/xalloc.h"

/* Groups of the default rules, which can be left out. */
enum group { GENERICS, IMPL, OFFSET, SUFFIX, GROUPS };
static const char *const groups[] = {"generics", "impl", "offset", "suffix"};

struct options {
	struct names_options names;
	struct opt_list rules;
	bool keep[GROUPS];
	bool trim_unknown, no_tails, lines, verbose, list;
	struct each each;
	struct names *made; /* of the names' options */
	enum shape shape;
};

static const struct opt rows[] = {
    {'g', "keep-generics", NULL, "keep <...> and <A as B>::f",
	OPT_FLAG(keep[GENERICS])},
    {0, "keep-impl", NULL, "keep {impl#4}, {closure#0} and the like",
	OPT_FLAG(keep[IMPL])},
    {0, "keep-offset", NULL, "keep +0x1f after a name", OPT_FLAG(keep[OFFSET])},
    {0, "keep-suffix", NULL, "keep .part.0, .cold and the like",
	OPT_FLAG(keep[SUFFIX])},
    {0, "lines", NULL, "make each stack's innermost source line one more frame",
	OPT_FLAG(lines)},
    {0, "no-tail-calls", NULL, "leave out frames marked [tail call]",
	OPT_FLAG(no_tails)},
    {'u', "trim-unknown", NULL, "remove ?? frames from the root side",
	OPT_FLAG(trim_unknown)},
    {'d', "demangle", NULL, "demangle C++ and Rust symbols (the default)",
	OPT_FLAG(names.demangle)},
    {0, "no-demangle", NULL, "do not demangle C++ and Rust symbols",
	OPT_UNSET(names.demangle)},
    {'r', "rules", "FILE|NAME", "apply a rule file, or one of share/rules",
	OPT_LIST(rules), .data = "rules"},
    {'s', "skip-to", "REGEX", "remove the leaf side down to the first match",
	OPT_LIST(rules)},
    {0, "cut-below", "REGEX", "remove the root side up to the first match",
	OPT_LIST(rules)},
    {0, "skip", "REGEX", "leave out matching frames", OPT_LIST(rules)},
    {0, "drop", "REGEX", "leave out stacks with a matching frame",
	OPT_LIST(rules)},
    {0, "collapse", "REGEX",
	"merge adjacent frames of the same name that match (recursion)",
	OPT_LIST(rules)},
    {0, "rename", "REGEX=TEXT", "replace matches in names; $1 is a group",
	OPT_LIST(rules)},
    {0, "shape", "SHAPE", "say which shape the input has",
	OPT_CHOICE(shape, SHAPES)},
    {0, "list-rules", NULL, "print the rules that would be applied",
	OPT_FLAG(list)},
    {0, "no-default-rules", NULL, "do not apply the built-in rules",
	OPT_FLAG(names.no_defaults)},
    {'v', "verbose", NULL, "report at the end what was read",
	OPT_FLAG(verbose)},
    EACH_ROWS(each), {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Cleans the names in stacks; trace text and folded text keep "
	     "their shape.",
    .rows = rows,
    .examples = "kst-clean capture.txt | kst-fold | kst-svg > fg.svg\n"
		"kst-clean --rules asterinas --trim-unknown < capture.txt\n"};

static int
run(void *options, char **operands, int n)
{
	const struct options *o = options;
	struct clean *c = xcalloc(1, sizeof *c);
	struct in in;
	bool failed;

	c->names = o->made;
	c->trim_unknown = o->trim_unknown;
	c->no_tails = o->no_tails;
	c->lines = o->lines;
	c->by_stack =
	    o->trim_unknown || rules_flags(o->names.rules) & ~RULE_SKIP;
	c->renumber = c->by_stack || o->no_tails || o->lines ||
		      rules_count(o->names.rules) > 0;
	clean_init(c);
	c->in.is_part = o->shape != SHAPE_AUTO;
	in_init(&in, operands, n);
	in.most = each_most();
	failed = !shape_read(&in, o->shape, clean_trace, clean_folded, c);
	failed |= fault_sum(c->faults, CLEAN_FAULTS) > 0 || in_failed(&in);
	failed |= fault_sum(&c->in.cut, 1) > 0;
	clean_summarize(c, &in, o->verbose);
	in_done(&in);
	clean_done(c);
	free(c);
	return failed ? EXIT_FAILED : EXIT_OK;
}

int
main(int argc, char **argv)
{
	struct options o = {.shape = SHAPE_AUTO, .names.demangle = true};
	struct buf without = BUF_INIT;
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	o.names.rules = rules_new();
	names_add_rules(o.names.rules, &o.rules);
	for (int i = 0; i < GROUPS; i++)
		if (o.keep[i])
			buf_printf(&without, "%s,", groups[i]);
	o.names.without = without.len ? buf_str(&without) : NULL;
	if (o.list) {
		names_list_rules(&o.names);
		status = out_end(EXIT_OK);
	} else if ((o.made = names_new(&o.names)) == NULL) {
		status = msg_status(EXIT_FAILED);
	} else {
		const struct rights reads = {
		    .reads = argv + first, .n_reads = argc - first};

		status = each_run(
		    &o.each, &reads, argv + first, argc - first, run, &o);
		names_free(o.made);
	}
	rules_free(o.names.rules);
	opt_list_done(&o.rules);
	buf_done(&without);
	return status;
}
