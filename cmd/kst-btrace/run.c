/* SPDX-License-Identifier: ISC */
#include "give.h"
#include "run.h"

#include "gather.h"

#include <inttypes.h>
#include <stdio.h>

#include "io/in.h"
#include "base/msg.h"
#include "io/out.h"
#include "trace/signs.h"
#include "text/trailer.h"

/* Always reports left-out input. */
static void
report(const struct gather *g)
{
	const struct gather_counts *n = &g->n;

	msg_count(n->cut, "stacks that the tracer cut at its key limit");
	msg_count(n->lost, "events lost or dropped by the tracer");
	msg_count(n->entries, "map entries without a stack");
	msg_count(n->histograms, "histograms without a stack");
	msg_count(n->others, "lines that are not part of a stack");
	if (!g->o->verbose)
		return;
	msg_count(n->messages, "messages of the tracer");
	msg_count(n->other_maps, "stacks of other maps");
	msg("%" PRIu64 " stacks", n->stacks - n->other_maps);
}

static void
put_trailer(const struct gather *g)
{
	const struct gather_counts *n = &g->n;
	struct trailer t = {0};
	struct buf b = BUF_INIT;
	char text[24];

	if (g->o->unit)
		trailer_set(&t, "unit", g->o->unit);
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
read_file(void *gather, struct in *in)
{
	struct gather *g = gather;
	unsigned file_no = in->file_no;
	uint64_t stacks = g->n.stacks, others = g->n.others, lines = 0;
	const char *line;
	size_t len;

	while (in_more(in, file_no) && in_next(in, &line, &len)) {
		lines += len > 0;
		gather_line(g, line, len);
	}
	gather_end(g);
	return g->n.stacks == stacks ? "no stacks found"
	       : g->n.others - others <= lines / 2
		   ? NULL
		   : "most lines are not part of a stack";
}

int
run(const struct options *o, char **files, int n_files)
{
	struct in in;
	struct gather g = {.o = o, .in = &in};
	uint64_t faults;

	in_init(&in, files, n_files);
	gather_init(&g);
	faults = signs_files(&in, read_file, &g);
	folding_put(g.stacks);
	if (!o->no_trailer && g.n.stacks > g.n.other_maps)
		put_trailer(&g);
	faults += fault_sum(g.faults, GATHER_N_FAULTS);
	report(&g);
	gather_done(&g);
	faults += in_failed(&in);
	in_done(&in);
	return faults ? EXIT_FAILED : EXIT_OK;
}
