/* SPDX-License-Identifier: ISC */
#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "io/in.h"
#include "base/msg.h"
#include "io/out.h"
#include "base/summary.h"
#include "base/xalloc.h"
#include "capture.h"
#include "text/json.h"
#include "trace/signs.h"

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
	struct signs begin;
	struct json j;
	char what[400];
	bool good;

	while (in_fill(&r->in, 1) > 0) {
		uint64_t before = r->captures;

		signs_look(&begin, &r->in);
		json_init(&j, &r->in);
		good = osdk_read(&j, &c, &r->opt->cpus, put_trace, r);
		json_done(&j);
		if (good) {
			if (r->captures == before) {
				signs_say(&begin, "no stack in it");
				r->failed = true;
			}
			continue;
		}
		snprintf(what, sizeof what, "byte %" PRIu64 ": %s",
		    json_offset(&j), j.err);
		summary_fault(0, what);
		signs_say(&begin, what);
		r->failed = true;
		in_skip_file(&r->in, j.file_no);
	}
	capture_done(&c);
}

static void
to_json(struct run *r)
{
	struct collect *c = xcalloc(1, sizeof *c);
	struct signs begin;

	c->cpus = &r->opt->cpus;
	c->put = put_json;
	c->arg = r;
	collect_init(c);
	out_puts("{\"stack_traces\":[");
	while (in_fill(&r->in, 1) > 0) {
		uint64_t before = r->captures + c->no_cpu;

		signs_look(&begin, &r->in);
		collect_trace(c, &r->in);
		if (r->captures + c->no_cpu == before) {
			signs_say(&begin, "no stack in it");
			r->failed = true;
		}
	}
	out_puts("]}");
	if (c->no_cpu)
		msg("%" PRIu64 " stacks without a CPU were left out",
		    c->no_cpu);
	if (c->too_large) {
		msg("%" PRIu64 " frames of captures too large were left out",
		    c->too_large);
		r->failed = true;
	}
	if (fault_sum(&c->in.cut, 1) > 0)
		r->failed = true;
	collect_done(c);
	free(c);
}

int
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
	in_summarize(&r.in);
	summary_count("captures", r.captures);
	summary_count("stacks", r.stacks);
	in_done(&r.in);
	return r.failed ? EXIT_FAILED : EXIT_OK;
}
