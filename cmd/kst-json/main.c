/* SPDX-License-Identifier: ISC */
/* kst-json: OSDK's JSON profile to trace text, and back. */
#include <inttypes.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture.h"
#include "collect.h"
#include "text/cpus.h"
#include "base/in.h"
#include "json.h"
#include "base/msg.h"
#include "base/opt.h"
#include "osdk.h"
#include "base/out.h"
#include "base/summary.h"
#include "base/xalloc.h"

static const char help[] =
    "usage: kst-json [OPTION]... [FILE]...\n"
    "OSDK's JSON profile to trace text, or trace text to such a profile.\n"
    "\n"
    "  -c, --cpus SET     only these CPUs: 0x3 (mask), 0-3,8 (list), all\n"
    "      --cpu-mask N   the same as a decimal mask, as in OSDK\n"
    "  -j, --to-json      read trace text, write JSON\n"
    "  -v, --verbose      say what was read\n"
    "      --summary-fd N write it to descriptor N, for programs\n"
    "  -h, --help         this text\n"
    "  -V, --version      the version\n";

enum { OPT_CPU_MASK = 256, OPT_SUMMARY };

struct options {
	struct cpus cpus;
	bool to_json, verbose;
};

struct run {
	struct options *opt;
	struct in in;
	uint64_t captures, stacks;
	bool failed;
};

static void
put_trace(void *arg, struct capture *c)
{
	struct run *r = arg;

	r->stacks += c->n_stacks;
	capture_put_trace(c, ++r->captures);
}

static void
put_json(void *arg, struct capture *c)
{
	struct run *r = arg;

	if (r->captures++ > 0)
		out_putc(',');
	r->stacks += c->n_stacks;
	capture_put_json(c);
}

static void
from_json(struct run *r)
{
	struct capture c = {0};
	struct json j;
	char what[400];

	while (in_fill(&r->in, 1) > 0) {
		const char *name = in_name(&r->in);

		json_init(&j, &r->in);
		if (osdk_read(&j, &c, &r->opt->cpus, put_trace, r))
			continue;
		snprintf(what, sizeof what, "byte %" PRIu64 ": %s",
		    json_offset(&j), j.err);
		summary_fault(0, what);
		msg("%s: %s", msg_str(name), what);
		r->failed = true;
		in_skip_file(&r->in, j.file_no);
	}
	capture_done(&c);
}

static void
to_json(struct run *r)
{
	struct collect *c = xcalloc(1, sizeof *c);
	bool any = false;

	c->cpus = &r->opt->cpus;
	c->put = put_json;
	c->arg = r;
	collect_init(c);
	out_puts("{\"stack_traces\":[");
	for (; in_fill(&r->in, 1) > 0; any = true)
		collect_trace(c, &r->in);
	out_puts("]}");
	if (c->no_cpu)
		msg("%" PRIu64 " stacks without a CPU were left out",
		    c->no_cpu);
	if (r->captures == 0 && c->no_cpu == 0 && any)
		msg("no stack in the text");
	if (c->too_large) {
		msg("%" PRIu64 " frames of captures too large were left out",
		    c->too_large);
		r->failed = true;
	}
	collect_done(c);
	free(c);
}

static int
run(struct options *opt, char **files, int n_files)
{
	struct run r = {.opt = opt};
	struct buf missing = BUF_INIT;

	in_init(&r.in, files, n_files);
	if (opt->to_json)
		to_json(&r);
	else
		from_json(&r);
	if (cpus_missing(&opt->cpus, &missing))
		msg("no stack of CPU %s", buf_str(&missing));
	buf_done(&missing);
	if (opt->verbose)
		msg("%" PRIu64 " captures, %" PRIu64 " stacks", r.captures,
		    r.stacks);
	r.failed |= in_failed(&r.in);
	summary_in(&r.in);
	summary_count("captures", r.captures);
	summary_count("stacks", r.stacks);
	in_done(&r.in);
	return r.failed ? EXIT_FAILED : EXIT_OK;
}

static void
parse_options(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
	    {"cpus", required_argument, NULL, 'c'},
	    {"cpu-mask", required_argument, NULL, OPT_CPU_MASK},
	    {"to-json", no_argument, NULL, 'j'},
	    {"summary-fd", required_argument, NULL, OPT_SUMMARY},
	    {"verbose", no_argument, NULL, 'v'},
	    {"help", no_argument, NULL, 'h'},
	    {"version", no_argument, NULL, 'V'}, {0}};
	int c;

	while ((c = getopt_long(argc, argv, "c:jvhV", longs, NULL)) != -1) {
		switch (c) {
		case 'c':
			if (cpus_parse(&o->cpus, optarg) != 0)
				msg_die(EXIT_USAGE,
				    "--cpus: '%s' is no set of CPUs",
				    msg_str(optarg));
			break;
		case OPT_CPU_MASK:
			if (cpus_parse_decimal(&o->cpus, optarg) != 0)
				msg_die(EXIT_USAGE,
				    "--cpu-mask: '%s' is no decimal mask of "
				    "128 bits",
				    msg_str(optarg));
			break;
		case 'j':
			o->to_json = true;
			break;
		case OPT_SUMMARY:
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

int
main(int argc, char **argv)
{
	struct options opt = {0};
	int status;

	msg_init(argv[0]);
	parse_options(argc, argv, &opt);
	status = run(&opt, argv + optind, argc - optind);
	cpus_done(&opt.cpus);
	if (out_close() != 0)
		status = EXIT_SYSTEM;
	return status;
}
