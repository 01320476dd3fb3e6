/* SPDX-License-Identifier: ISC */
/* kst-clean: makes the names in stacks readable and equal. */
#include <inttypes.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
#include "base/xalloc.h"

static const char help[] =
    "usage: kst-clean [options] [FILE ...]\n"
    "Cleans the names in stacks; trace text and folded text keep their shape.\n"
    "\n"
    "  -g, --keep-generics    keep <...> and <A as B>::f\n"
    "      --keep-impl        keep {impl#4}, {closure#0} and the like\n"
    "      --keep-offset      keep +0x1f behind a name\n"
    "  -u, --trim-unknown     take ?? frames off the root side\n"
    "  -d, --demangle         demangle C++ and Rust symbols\n"
    "  -r, --rules FILE|NAME  apply a rule file, or one of share/rules\n"
    "  -s, --skip-to REGEX    cut the leaf side down to the first match\n"
    "      --skip REGEX       take matching frames out\n"
    "      --drop REGEX       leave out stacks with a matching frame\n"
    "      --collapse REGEX   of equal matching frames in a row keep one\n"
    "      --rename REGEX=TEXT  replace matches in names, $1 is a group\n"
    "      --shape SHAPE      the input is trace or folded text (auto)\n"
    "      --list-rules       print the rules that would be applied\n"
    "      --no-default-rules leave the built-in rules out\n"
    "  -v, --verbose          say at the end what was read\n"
    "      --summary-fd N     write it to descriptor N, for programs\n"
    "  -h, --help             print this\n"
    "  -V, --version          print the version\n"
    "\n"
    "Examples:\n"
    "  kst-clean capture.txt | kst-fold | kst-svg > fg.svg\n"
    "  kst-clean --rules asterinas --trim-unknown < capture.txt\n";

struct options {
	struct names_options names;
	struct buf without;
	bool trim_unknown, verbose, list;
	enum shape shape;
};

enum {
	KEEP_IMPL = 256,
	KEEP_OFFSET,
	SKIP,
	DROP,
	COLLAPSE,
	RENAME,
	SHAPE,
	LIST,
	BARE,
	SUMMARY
};

static const struct option longs[] = {
    {"keep-generics", no_argument, NULL, 'g'},
    {"keep-impl", no_argument, NULL, KEEP_IMPL},
    {"keep-offset", no_argument, NULL, KEEP_OFFSET},
    {"trim-unknown", no_argument, NULL, 'u'},
    {"demangle", no_argument, NULL, 'd'},
    {"rules", required_argument, NULL, 'r'},
    {"skip-to", required_argument, NULL, 's'},
    {"skip", required_argument, NULL, SKIP},
    {"drop", required_argument, NULL, DROP},
    {"collapse", required_argument, NULL, COLLAPSE},
    {"rename", required_argument, NULL, RENAME},
    {"shape", required_argument, NULL, SHAPE},
    {"list-rules", no_argument, NULL, LIST},
    {"no-default-rules", no_argument, NULL, BARE},
    {"summary-fd", required_argument, NULL, SUMMARY},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

static void
add_rule(struct rules *r, const char *action, const char *arg)
{
	struct buf err = BUF_INIT;
	const char *eq = NULL;
	size_t len = strlen(arg);

	if (strcmp(action, "rename") == 0) {
		eq = strrchr(arg, '=');
		if (eq == NULL)
			msg_die(EXIT_USAGE, "--rename: '%s' is no REGEX=TEXT",
			    msg_text(arg, len));
	}
	if (rules_add(r, action, arg, eq ? (size_t)(eq - arg) : len,
		eq ? eq + 1 : "", eq ? strlen(eq + 1) : 0, &err) != 0)
		msg_die(EXIT_USAGE, "--%s '%s': %s", action, msg_text(arg, len),
		    buf_str(&err));
	buf_done(&err);
}

static void
read_options(struct options *o, int argc, char **argv)
{
	static const char *const actions[] = {
	    "skip", "drop", "collapse", "rename"}; /* as the enum has them */
	int c;

	while ((c = getopt_long(argc, argv, "gudr:s:vhV", longs, NULL)) != -1) {
		switch (c) {
		case 'g':
			buf_adds(&o->without, "generics,");
			break;
		case KEEP_IMPL:
			buf_adds(&o->without, "impl,");
			break;
		case KEEP_OFFSET:
			buf_adds(&o->without, "offset,");
			break;
		case 'u':
			o->trim_unknown = true;
			break;
		case 'd':
			o->names.demangle = true;
			break;
		case 'r':
			if (rules_add_file(o->names.rules, optarg) != 0)
				exit(EXIT_USAGE);
			break;
		case 's':
			add_rule(o->names.rules, "skip-to", optarg);
			break;
		case SKIP:
		case DROP:
		case COLLAPSE:
		case RENAME:
			add_rule(o->names.rules, actions[c - SKIP], optarg);
			break;
		case SHAPE:
			o->shape = shape_option("--shape", optarg);
			break;
		case LIST:
			o->list = true;
			break;
		case BARE:
			o->names.no_defaults = true;
			break;
		case SUMMARY:
			summary_open(optarg);
			break;
		case 'v':
			o->verbose = true;
			break;
		case 'h':
			opt_help(help);
		case 'V':
			opt_version();
		default:
			opt_usage();
		}
	}
}

static void
list_rules(const struct options *o)
{
	struct buf text = BUF_INIT;

	if (!o->names.no_defaults)
		rules_text(names_default_rules, strlen(names_default_rules),
		    o->names.without, &text);
	rules_list(o->names.rules, &text);
	out_put(text.p, text.len);
	buf_done(&text);
}

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
	struct in in;
	bool failed;

	c->names = names_new(&o->names);
	if (c->names == NULL)
		return EXIT_FAILED;
	clean_init(c);
	c->trim_unknown = o->trim_unknown;
	c->by_stack = o->trim_unknown || rules_count(o->names.rules) > 0;
	in_init(&in, operands, n);
	while (in_fill(&in, 1)) {
		enum shape shape = o->shape ? o->shape : shape_detect(&in);

		if (shape == SHAPE_FOLDED)
			clean_folded(c, &in);
		else
			clean_trace(c, &in);
	}
	failed = fault_sum(c->faults, CLEAN_FAULTS) > 0 || in_failed(&in);
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
	int status = EXIT_OK;

	msg_init(argv[0]);
	o.names.rules = rules_new();
	read_options(&o, argc, argv);
	o.names.without = o.without.len ? buf_str(&o.without) : NULL;
	if (o.list)
		list_rules(&o);
	else
		status = run(&o, argv + optind, argc - optind);
	if (out_close() != 0)
		status = EXIT_SYSTEM;
	rules_free(o.names.rules);
	buf_done(&o.without);
	return status;
}
