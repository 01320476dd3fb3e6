/* SPDX-License-Identifier: ISC */
/* kst-json: OSDK's JSON profile to trace text, and back. */
#include "osdk.h"
#include "collect.h"
#include "capture.h"

#include <inttypes.h>

#include "base/msg.h"
#include "base/summary.h"
#include "io/in.h"
#include "io/out.h"
#include "rights/rights.h"
#include "opt/each.h"
#include "opt/opt.h"
#include "trace/signs.h"

struct options {
	struct cpus cpus;
	bool to_json, verbose;
};

static const struct opt rows[] = {
    {'c', "cpus", "SET", "use only these CPUs: 0x3 (mask), 0-3,8 (list), all",
	OPT_CALL(cpus, cpus_option)},
    {0, "cpu-mask", "N", "use only the CPUs of this decimal mask, as in OSDK",
	OPT_CALL(cpus, cpus_mask_option)},
    {'j', "to-json", NULL, "read trace text, write JSON", OPT_FLAG(to_json)},
    {'v', "verbose", NULL, "say what was read", OPT_FLAG(verbose)}, SUMMARY_ROW,
    {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Makes trace text of OSDK's JSON profile, or such a profile of "
	     "trace text.",
    .rows = rows,
    .examples =
	"kst-json profile.json | kst-clean | kst-fold | kst-svg > fg.svg\n"
	"kst-json --to-json capture.txt > profile.json\n"};

/* Returns how many faults there were. */
static uint64_t
to_json(struct in *in, struct collect *c)
{
	uint64_t faults;

	stacks_init(&c->in, true);
	out_puts("{\"stack_traces\":[");
	faults = signs_files(in, collect_trace, c);
	out_puts("]}");
	msg_count(c->no_cpu, "stacks without a CPU were left out");
	msg_count(c->too_large,
	    "frames were left out, of captures with too much text");
	faults += c->too_large + fault_sum(&c->in.cut, 1);
	stacks_done(&c->in);
	return faults;
}

static int
run(void *options, char **files, int n_files)
{
	struct options *o = options;
	static struct collect c;
	struct capture *of = &c.capture;
	struct buf missing = BUF_INIT;
	struct in in;
	uint64_t faults;

	of->cpus = &o->cpus;
	in_init(&in, files, n_files);
	faults =
	    o->to_json ? to_json(&in, &c) : signs_files(&in, osdk_read, of);
	if (cpus_missing(&o->cpus, &missing))
		msg("no stack of CPU %s", buf_str(&missing));
	buf_done(&missing);
	if (o->verbose)
		msg("%" PRIu64 " captures, %" PRIu64 " stacks", of->captures,
		    of->stacks_put);
	faults += in_failed(&in);
	in_summarize(&in);
	summary_count("captures", of->captures);
	summary_count("stacks", of->stacks_put);
	in_done(&in);
	capture_done(of);
	return faults ? EXIT_FAILED : EXIT_OK;
}

int
main(int argc, char **argv)
{
	struct options o = {0};
	int first;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	rights_files(argv + first, argc - first);
	return each_run(NULL, NULL, argv + first, argc - first, run, &o);
}
