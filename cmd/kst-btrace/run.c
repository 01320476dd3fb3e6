/* SPDX-License-Identifier: ISC */
#include "folding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "io/fault.h"
#include "io/in.h"
#include "base/msg.h"
#include "io/out.h"
#include "gather.h"
#include "trace/signs.h"
#include "text/trailer.h"

struct run {
	const struct run_options *opt;
	struct in in;
	struct gather gather;
	struct folding *stacks;
	struct fault overflow;
	uint64_t not_taken;
};

static bool
map_wanted(const struct run_options *o, const char *map, size_t len)
{
	size_t at = len > 0; /* a stream has no name */

	for (size_t i = 0; i < o->maps.n; i++) {
		const char *m = o->maps.use[i].arg;

		if (bytes_is(map + at, len - at, m + (*m == '@')))
			return true;
	}
	return o->maps.n == 0;
}

static void
take_stack(void *arg, const struct raw_stack *raw)
{
	struct run *r = arg;

	if (!map_wanted(r->opt, raw->map, raw->map_len))
		r->not_taken++;
	else if (folding_add(r->stacks, raw) != 0)
		fault_say(&r->overflow, &r->in, "%s", r->overflow.what);
}

/* Always reports left-out input. */
static void
report(const struct run *r)
{
	const struct gather_counts *n = &r->gather.n;

	msg_count(n->cut, "stacks that the tracer cut at its key limit");
	msg_count(n->lost, "events lost or dropped by the tracer");
	msg_count(n->entries, "map entries without a stack");
	msg_count(n->histograms, "histograms without a stack");
	msg_count(n->others, "lines that are not part of a stack");
	if (!r->opt->verbose)
		return;
	msg_count(n->messages, "messages of the tracer");
	msg_count(r->not_taken, "stacks of other maps");
	msg("%" PRIu64 " stacks", n->stacks - r->not_taken);
}

static void
put_trailer(const struct run *r)
{
	const struct gather_counts *n = &r->gather.n;
	struct trailer t = {0};
	struct buf b = BUF_INIT;
	char text[24];

	if (r->opt->unit)
		trailer_set(&t, "unit", r->opt->unit);
	snprintf(text, sizeof text, "%" PRIu64, n->cut);
	trailer_set(&t, "cut", text);
	snprintf(text, sizeof text, "%" PRIu64, n->lost);
	trailer_set(&t, "failed", text);
	trailer_put(&t, &b);
	out_put(b.p, b.len);
	buf_done(&b);
}

/* A signs_reader. */
static const char *
read_file(void *run, struct in *in)
{
	struct run *r = run;
	unsigned file_no = in->file_no;
	const struct gather_counts *n = &r->gather.n;
	uint64_t stacks = n->stacks, others = n->others, lines = 0;
	const char *line;
	size_t len;

	while (in_more(in, file_no) && in_next(in, &line, &len)) {
		lines += len > 0;
		gather_line(&r->gather, line, len);
	}
	gather_end(&r->gather);
	others = n->others - others;
	return n->stacks == stacks   ? "no stack in it"
	       : others <= lines / 2 ? NULL
				     : "most lines are not part of a stack";
}

int
run(const struct run_options *opt, char **files, int n_files)
{
	struct run r = {
	    .opt = opt, .overflow.what = "sum that exceeds 64 bits"};
	uint64_t faults;

	in_init(&r.in, files, n_files);
	r.stacks = folding_new(&opt->stacks);
	r.gather.stack = take_stack;
	r.gather.arg = &r;
	r.gather.in = &r.in;
	r.gather.value = opt->value;
	gather_init(&r.gather);
	faults = signs_files(&r.in, read_file, &r);
	folding_put(r.stacks);
	if (!opt->no_trailer && r.gather.n.stacks > r.not_taken)
		put_trailer(&r);
	faults += fault_sum(r.gather.faults, GATHER_N_FAULTS) +
		  fault_sum(&r.overflow, 1);
	report(&r);
	gather_done(&r.gather);
	folding_free(r.stacks);
	faults += in_failed(&r.in);
	in_done(&r.in);
	return faults ? EXIT_FAILED : EXIT_OK;
}
