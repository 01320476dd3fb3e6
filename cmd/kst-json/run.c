/* SPDX-License-Identifier: ISC */
#include "capture.h"

#include <inttypes.h>
#include <stdio.h>

#include "io/in.h"
#include "base/msg.h"
#include "io/out.h"
#include "base/summary.h"
#include "text/json.h"
#include "trace/signs.h"

/* Returns false after a message if a file is wrong. */
static bool
from_json(struct in *in, struct capture *c)
{
	struct signs begin;
	struct json j;
	char what[400];
	bool ok = true;

	while (in_fill(in, 1) > 0) {
		uint64_t before = c->captures;

		signs_look(&begin, in);
		json_init(&j, in);
		if (osdk_read(&j, c)) {
			json_done(&j);
			if (c->captures > before)
				continue;
			signs_say(&begin, "no stack in it");
		} else {
			json_done(&j);
			snprintf(what, sizeof what, "byte %" PRIu64 ": %s",
			    json_offset(&j), j.err);
			summary_fault(0, what);
			signs_say(&begin, what);
			in_skip_file(in, j.file_no);
		}
		ok = false;
	}
	return ok;
}

static bool
to_json(struct in *in, struct collect *c)
{
	struct signs begin;
	bool ok = true;

	stacks_init(&c->in, true);
	out_puts("{\"stack_traces\":[");
	while (in_fill(in, 1) > 0) {
		uint64_t before = c->capture.captures + c->no_cpu;

		signs_look(&begin, in);
		collect_trace(c, in);
		if (c->capture.captures + c->no_cpu == before) {
			signs_say(&begin, "no stack in it");
			ok = false;
		}
	}
	out_puts("]}");
	msg_count(c->no_cpu, "stacks without a CPU were left out");
	msg_count(c->too_large, "frames of captures too large were left out");
	ok &= c->too_large + fault_sum(&c->in.cut, 1) == 0;
	stacks_done(&c->in);
	return ok;
}

int
run(struct options *opt, char **files, int n_files)
{
	static struct collect c;
	struct buf missing = BUF_INIT;
	struct in in;
	bool ok;

	c.capture.cpus = &opt->cpus;
	in_init(&in, files, n_files);
	ok = opt->to_json ? to_json(&in, &c) : from_json(&in, &c.capture);
	if (cpus_missing(&opt->cpus, &missing))
		msg("no stack of CPU %s", buf_str(&missing));
	buf_done(&missing);
	if (opt->verbose)
		msg("%" PRIu64 " captures, %" PRIu64 " stacks",
		    c.capture.captures, c.capture.stacks_put);
	ok &= !in_failed(&in);
	in_summarize(&in);
	summary_count("captures", c.capture.captures);
	summary_count("stacks", c.capture.stacks_put);
	in_done(&in);
	capture_done(&c.capture);
	return ok ? EXIT_OK : EXIT_FAILED;
}
