/* SPDX-License-Identifier: ISC */
/* kst-span: event text to folded text by time, a listing, or a summary. */

#include "text/folded.h"
#include "base/msg.h"
#include "pattern/pattern.h"
#include "opt/opt.h"
#include "io/out.h"
#include "rights/rights.h"
#include "io/in.h"
#include "chart.h"
#include "span.h"

enum mode { MODE_FOLD, MODE_CALLS, MODE_LIST, MODE_SUMMARY, MODE_CHART };

struct options {
	enum mode mode;
	const char *by;
	bool csv, no_trailer;
	struct want want;
	enum summary_sort sort;
	uint64_t most; /* lines of a list or summary */
	enum list_order order;
};

static const struct opt rows[] = {
    {0, "fold", NULL, "write self time in ns, as folded text (default)",
	OPT_SET(mode, MODE_FOLD)},
    {0, "calls", NULL, "write numbers of calls, as folded text",
	OPT_SET(mode, MODE_CALLS)},
    {0, "chart", NULL,
	"write a flame chart: what was open in each track, in order of time",
	OPT_SET(mode, MODE_CHART)},
    {0, "by", "WHAT", "with --fold and --calls: add this root frame",
	OPT_WORD(by, "track")},
    {0, "list", NULL,
	"print spans: start, track, depth, duration, name, arguments, result",
	OPT_SET(mode, MODE_LIST)},
    {0, "order", "ORDER",
	"with --list: sort by when spans end, or begin, then indented by depth",
	OPT_CHOICE(order, LIST_ORDERS), .requires = "list"},
    {0, "summary", NULL,
	"print names, with times in ns: count, errors, total, self, "
	"min, p50, p90, p99, max",
	OPT_SET(mode, MODE_SUMMARY)},
    {0, "csv", NULL, "with --summary: print comma-separated values",
	OPT_FLAG(csv), .requires = "summary"},
    {0, "sort", "COLUMN", "with --summary: sort by this column",
	OPT_CHOICE(sort, SUMMARY_SORTS), .requires = "summary"},
    {'n', "lines", "N", "with --summary and --list: print only N lines",
	OPT_NUMBER(most, 0, UINT64_MAX), .requires = "summary list"},
    RANGE_ROWS(want.range),
    {0, "filter", "PATTERN", "use only what matches, and what it calls",
	OPT_CALL(want.filter, pattern_option)},
    {0, "notrace", "PATTERN", "leave out what matches, and what it calls",
	OPT_CALL(want.notrace, pattern_option)},
    {0, "min", "LENGTH", "leave out spans that are shorter",
	OPT_CALL(want.min, range_length_option)},
    {0, "no-trailer", NULL, "leave out the trailer, the last line",
	OPT_FLAG(no_trailer)},
    {0}};

static const struct opt_page page = {
    .synopsis = "[--fold | --calls | --chart | --list | --summary] [FILE ...]",
    .about = "Pairs begins and ends of event text, kst-events(5), as spans.",
    .rows = rows,
    .examples = "kst-uftrace -e kernel.elf | kst-span | kst-svg > fg.svg\n"
		"kst-osv console.log | kst-span --summary\n"};

static void
check(const struct options *o)
{
	const struct want *w = &o->want;

	if (o->by && o->mode != MODE_FOLD && o->mode != MODE_CALLS)
		opt_requires("by track", "fold calls");
	if (w->min && o->mode == MODE_CHART)
		opt_conflict("min", "chart");
	range_check(&w->range);
}

static void
print(const struct options *o, const struct pair *p, struct summary *summary)
{
	bool folded = o->mode != MODE_LIST && o->mode != MODE_SUMMARY;

	if (o->mode == MODE_SUMMARY)
		summary_print(summary, o->sort, o->most, o->csv);
	else if (o->mode == MODE_CHART)
		chart_print(p);
	else if (folded)
		fold_print(p, o->mode == MODE_CALLS);
	if (folded && !o->no_trailer && p->tree.n > 1)
		out_printf(FOLDED_TRAILER "unit=%s%s\n",
		    o->mode == MODE_CALLS ? "calls" : "ns",
		    o->mode == MODE_CHART ? ",order=time" : "");
}

static int
run(struct options *o, char **files, int n_files)
{
	struct pair p;
	struct in in;
	struct list list = {.p = &p, .most = o->most, .order = o->order};
	struct summary *summary = NULL;
	bool ok;

	pair_init(&p);
	p.by_track = o->by != NULL || o->mode == MODE_CHART;
	p.by_name = o->mode == MODE_LIST || o->mode == MODE_SUMMARY;
	p.time = o->mode == MODE_CHART ? chart_time : NULL;
	p.keep_args = o->mode == MODE_LIST;
	p.want = want_any(&o->want) ? &o->want : NULL;
	p.ctx = &list;
	if (o->mode == MODE_LIST)
		p.sink = list_span;
	if (o->mode == MODE_SUMMARY) {
		p.sink = summary_span;
		p.ctx = summary = summary_new(&p);
	}
	in_init(&in, files, n_files);
	ok = pair_read(&in, &p) == 0 && !in_failed(&in) && p.too_many == 0;
	in_done(&in);
	print(o, &p, summary);
	list_end(&list);
	if (p.overflow)
		msg("a sum exceeds 64 bits and is shown as "
		    "18446744073709551615");
	ok &= !p.overflow;
	pair_say_repairs(&p);
	summary_free(summary);
	chart_done(&p);
	pair_done(&p);
	return ok ? EXIT_OK : EXIT_FAILED;
}

int
main(int argc, char **argv)
{
	struct options o = {.mode = MODE_FOLD, .most = UINT64_MAX};
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	check(&o);
	rights_files(argv + first, argc - first);
	status = run(&o, argv + first, argc - first);
	want_done(&o.want);
	return out_end(status);
}
