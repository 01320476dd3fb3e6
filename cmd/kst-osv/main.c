/* SPDX-License-Identifier: ISC */
/* kst-osv: OSv's tracepoint log to event text, or its stacks to trace text. */
#include "base/msg.h"
#include "opt/opt.h"
#include "io/out.h"
#include "rights/rights.h"
#include "run.h"
#include "spans/select.h"

struct options {
	struct run_options run;
	struct opt_list trace;
};

static const struct opt rows[] = {
    {0, "no-cpu", NULL, "leave cpu=N out of the arguments",
	OPT_FLAG(run.emit.no_cpu)},
    {'b', "backtrace", NULL, "nest each span in the frames of its backtrace",
	OPT_FLAG(run.emit.backtrace)},
    {0, "by", "WHAT", "with -b: put this in front of each stack as root frame",
	OPT_WORD(run.emit.by, "cpu"), .requires = "backtrace"},
    {0, "idle", NULL,
	"write waits and, within each, when the thread's CPU was idle",
	OPT_SET(run.emit.within, WITHIN_IDLE)},
    {0, "wakeups", NULL,
	"write waits and, within each, the time since the thread's wake-up",
	OPT_SET(run.emit.within, WITHIN_WAKEUP)},
    {0, "cpu-load", NULL, "write the load of each CPU instead of calls",
	OPT_FLAG(run.emit.cpu_load), .conflicts = "stacks trace-list"},
    {'s', "stacks", NULL,
	"write the backtraces of a tracefile or dump as trace text",
	OPT_FLAG(run.stacks)},
    {'t', "trace", "GLOBS",
	"use only tracepoints that match, as for OSv's --trace",
	OPT_LIST(trace)},
    {'l', "trace-list", NULL, "list the tracepoints with their counts",
	OPT_FLAG(run.emit.list)},
    {'v', "verbose", NULL, "say what was read", OPT_FLAG(run.verbose)}, {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Makes event text of OSv's tracepoint log: the console's, a "
	     "tracefile or a dump.",
    .rows = rows,
    .examples = "kst-osv console.log | kst-span --summary\n"};

int
main(int argc, char **argv)
{
	struct options o = {0};
	struct selection *select;
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	o.run.emit.select = select = selection_new();
	for (size_t i = 0; i < o.trace.n; i++)
		if (selection_add(select, o.trace.use[i].arg) != 0)
			opt_usage();
	if (o.trace.n == 0 && o.run.emit.within != WITHIN_NOTHING)
		selection_add(select, "^sched_wait$,^sched_wait_ret$");
	rights_files(argv + first, argc - first);
	status = run(&o.run, argv + first, argc - first);
	selection_free(select);
	opt_list_done(&o.trace);
	return out_end(status);
}
