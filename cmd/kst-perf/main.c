/* SPDX-License-Identifier: ISC */
/* kst-perf: what perf script prints, as trace text or folded text. */
#include "perf.h"

#include <inttypes.h>

#include "base/msg.h"
#include "io/out.h"
#include "rights/rights.h"
#include "opt/opt.h"
#include "profile/table_write.h"
#include "profile/table.h"
#include "set/intern.h"
#include "text/folded.h"
#include "trace/memo.h"
#include "trace/signs.h"

static const struct opt rows[] = {
    {0, "folded", NULL, "write folded text, weighed by period",
	OPT_FLAG(folded)},
    {0, "pid", NULL, "put the process's number in the root frame",
	OPT_FLAG(pid), .requires = "folded"},
    {0, "tid", NULL, "put PID/TID in the root frame", OPT_FLAG(tid),
	.requires = "folded"},
    {0, "kernel", NULL, "mark frames of the kernel with _[k]",
	OPT_FLAG(kernel)},
    {0, "jit", NULL, "mark frames of code made at run time with _[j]",
	OPT_FLAG(jit)},
    {0, "all", NULL, "mark frames as --kernel and --jit do", OPT_FLAG(all)},
    {0, "addrs", NULL, "write the address if a name is not known",
	OPT_FLAG(addrs)},
    {0, "event-filter", "EVENT",
	"use only samples of this event; default: the first one",
	OPT_TEXT(event)},
    {0, "no-trailer", NULL,
	"leave out the trailer, the last line, which describes the counts",
	OPT_FLAG(no_trailer), .requires = "folded"},
    {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Makes trace text of what perf script printed.",
    .rows = rows,
    .examples = "kst-perf perf.txt | kst-fold | kst-svg > fg.svg\n"
		"kst-perf --folded perf.txt | kst-svg > fg.svg\n"};

static int
run(struct perf *r, char **files, int n_files)
{
	uint64_t faults;

	in_init(&r->in, files, n_files);
	r->overflow.what = "count beyond 64 bits";
	r->cut.what = "the text ends within a sample";
	r->events = intern_new();
	r->table = table_new();
	r->memo = memo_new(32 << 20);
	faults = signs_files(&r->in, perf_read, r);
	if (r->o->folded)
		table_write(r->table, false);
	if (r->o->folded && !r->o->no_trailer && r->samples)
		out_printf(FOLDED_TRAILER "unit=%s,samples=%" PRIu64 "\n",
		    r->unit.len ? buf_str(&r->unit) : "samples", r->samples);
	perf_report(r);
	faults += fault_sum(&r->overflow, 1) + fault_sum(&r->cut, 1) +
		  in_failed(&r->in);
	memo_free(r->memo);
	table_free(r->table);
	intern_free(r->events);
	in_done(&r->in);
	return faults ? EXIT_FAILED : EXIT_OK;
}

int
main(int argc, char **argv)
{
	static struct perf r;
	struct options o = {0};
	int first;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	rights_files(argv + first, argc - first);
	o.kernel |= o.all;
	o.jit |= o.all;
	r.o = &o;
	return out_end(run(&r, argv + first, argc - first));
}
