/* SPDX-License-Identifier: ISC */
/* kst-btrace: the stacks that btrace(8) or bpftrace printed, as folded text. */
#include <inttypes.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "gather.h"
#include "base/bytes.h"
#include "base/in.h"
#include "base/fault.h"
#include "base/msg.h"
#include "base/opt.h"
#include "base/out.h"
#include "own.h"
#include "stacks.h"
#include "base/xalloc.h"

static const char help[] =
    "usage: kst-btrace [OPTION]... [FILE]...\n"
    "Stacks printed by OpenBSD's btrace(8) or by bpftrace to folded text.\n"
    "\n"
    "  -a, --arch NAME      the machine, as in uname -m: amd64, arm64, ...\n"
    "  -c, --context NAME   skip the tracer's own frames: profile or static\n"
    "  -k, --keep-offset    keep offsets, modules and source positions\n"
    "      --map NAME       take stacks of this map only; may be repeated\n"
    "      --mode-mark      frames of the kernel end in _[k]\n"
    "      --mode-root      kernel or userland is the root of each stack\n"
    "  -s, --skip N         skip N leaf frames of each kernel stack\n"
    "      --value NAME     of stats(): total (default), count or average\n"
    "  -v, --verbose        say what was read\n"
    "  -h, --help           this text\n"
    "  -V, --version        the version\n";

enum { OPT_MAP = 256, OPT_MARK, OPT_ROOT, OPT_VALUE };

struct options {
	struct stacks_options stacks;
	enum line_number value;
	const char *arch, *context;
	char **maps; /* names with or without `@` */
	int n_maps;
	bool verbose;
};

struct run {
	const struct options *opt;
	struct in in;
	struct gather gather;
	struct stacks *stacks;
	struct fault overflow;
	uint64_t not_taken;
};

static bool
map_wanted(const struct options *o, const char *map, size_t len)
{
	if (o->n_maps == 0)
		return true;
	if (len > 0) {
		map++;
		len--;
	}
	for (int i = 0; i < o->n_maps; i++) {
		const char *m = o->maps[i] + (o->maps[i][0] == '@');

		if (bytes_is(map, len, m))
			return true;
	}
	return false;
}

static void
take_stack(void *arg, const struct raw_stack *raw)
{
	struct run *r = arg;

	if (!map_wanted(r->opt, raw->map, raw->map_len))
		r->not_taken++;
	else if (stacks_add(r->stacks, raw) != 0)
		fault_say(&r->overflow, &r->in, "%s", r->overflow.what);
}

/* What was read but is not in the output is always said. */
static void
report(const struct run *r)
{
	const struct gather_counts *n = &r->gather.n;

	msg_count(n->cut, "stacks were cut by the tracer at its key's limit");
	msg_count(n->lost, "events lost or dropped by the tracer");
	msg_count(n->entries, "map entries have no stack");
	msg_count(n->histograms, "histograms have no stack");
	msg_count(n->others, "lines are no stack");
	if (!r->opt->verbose)
		return;
	msg_count(n->messages, "messages of the tracer");
	msg_count(r->not_taken, "stacks of other maps");
	msg("%" PRIu64 " stacks", n->stacks - r->not_taken);
}

static int
run(const struct options *opt, char **files, int n_files)
{
	struct run r = {
	    .opt = opt, .overflow.what = "sum that does not fit 64 bits"};
	unsigned file_no = 0;
	const char *line;
	size_t len;
	uint64_t faults;

	in_init(&r.in, files, n_files);
	r.stacks = stacks_new(&opt->stacks);
	r.gather.stack = take_stack;
	r.gather.arg = &r;
	r.gather.in = &r.in;
	r.gather.value = opt->value;
	gather_init(&r.gather);
	while (in_next(&r.in, &line, &len)) {
		if (file_no != r.in.file_no) {
			if (file_no)
				gather_end(&r.gather);
			file_no = r.in.file_no;
		}
		gather_line(&r.gather, line, len);
	}
	gather_end(&r.gather);
	stacks_put(r.stacks);
	faults = fault_sum(r.gather.faults, GATHER_N_FAULTS) +
		 fault_sum(&r.overflow, 1);
	report(&r);
	gather_done(&r.gather);
	stacks_free(r.stacks);
	faults += in_failed(&r.in);
	in_done(&r.in);
	return faults ? EXIT_FAILED : EXIT_OK;
}

static enum line_number
value_option(const char *s)
{
	if (strcmp(s, "total") == 0)
		return VALUE_TOTAL;
	if (strcmp(s, "count") == 0)
		return VALUE_COUNT;
	if (strcmp(s, "average") == 0)
		return VALUE_AVERAGE;
	msg_die(EXIT_USAGE, "--value: '%s' is not total, count or average",
	    msg_str(s));
}

static void
parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
	    {"arch", required_argument, NULL, 'a'},
	    {"context", required_argument, NULL, 'c'},
	    {"keep-offset", no_argument, NULL, 'k'},
	    {"map", required_argument, NULL, OPT_MAP},
	    {"mode-mark", no_argument, NULL, OPT_MARK},
	    {"mode-root", no_argument, NULL, OPT_ROOT},
	    {"skip", required_argument, NULL, 's'},
	    {"value", required_argument, NULL, OPT_VALUE},
	    {"verbose", no_argument, NULL, 'v'},
	    {"help", no_argument, NULL, 'h'},
	    {"version", no_argument, NULL, 'V'}, {0}};
	int c;

	while ((c = getopt_long(argc, argv, "a:c:ks:vhV", longs, NULL)) != -1) {
		switch (c) {
		case 'a':
			o->arch = optarg;
			break;
		case 'c':
			o->context = optarg;
			break;
		case 'k':
			o->stacks.keep_offset = true;
			break;
		case 's':
			o->stacks.skip = opt_u64("--skip", optarg, 0, 1000);
			break;
		case 'v':
			o->verbose = true;
			break;
		case OPT_MAP:
			o->maps[o->n_maps++] = optarg;
			break;
		case OPT_MARK:
			o->stacks.mode = MODE_MARK;
			break;
		case OPT_ROOT:
			o->stacks.mode = MODE_ROOT;
			break;
		case OPT_VALUE:
			o->value = value_option(optarg);
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
load_own(struct options *o)
{
	int bad_name;

	o->stacks.own = own_new(o->context, o->arch, &bad_name);
	if (o->stacks.own == NULL)
		exit(bad_name ? EXIT_USAGE : EXIT_FAILED);
}

int
main(int argc, char **argv)
{
	struct options opt = {.value = VALUE_TOTAL};
	int status;

	msg_init(argv[0]);
	opt.maps = xcalloc((size_t)argc, sizeof *opt.maps);
	parse_options(argc, argv, &opt);
	if (opt.arch && !opt.context)
		opt.context = "profile";
	if (opt.context)
		load_own(&opt);
	status = run(&opt, argv + optind, argc - optind);
	own_free(opt.stacks.own);
	free(opt.maps);
	if (out_close() != 0)
		status = EXIT_FAILED;
	return status;
}
