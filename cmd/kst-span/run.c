/* SPDX-License-Identifier: ISC */
#include "run.h"

#include "base/in.h"
#include "base/msg.h"
#include "base/out.h"

static void
print(const struct options *o, const struct pair *p, struct summary *summary)
{
	bool folded = o->mode != MODE_LIST && o->mode != MODE_SUMMARY;

	if (o->mode == MODE_SUMMARY)
		summary_print(summary, o->sort, o->most, o->csv);
	else if (o->mode == MODE_CHART)
		chart_print(p->chart, p);
	else if (folded)
		fold_print(p, o->mode == MODE_CALLS);
	if (folded && !o->no_trailer && p->tree.n > 1)
		out_printf("# kst unit=%s%s\n",
		    o->mode == MODE_CALLS ? "calls" : "ns",
		    o->mode == MODE_CHART ? " order=time" : "");
}

int
run(struct options *o, char **files, int n_files)
{
	struct pair p;
	struct in in;
	struct fold fold = {&p, false};
	struct list list = {&p, o->most, 0};
	struct summary *summary = NULL;
	bool ok, overflow;

	pair_init(&p);
	p.by_track = o->by != NULL || o->mode == MODE_CHART;
	p.by_name = o->mode == MODE_LIST || o->mode == MODE_SUMMARY;
	p.keep_args = o->mode == MODE_LIST;
	p.want = want_any(&o->want) ? &o->want : NULL;
	p.sink = fold_span;
	p.ctx = &fold;
	if (o->mode == MODE_LIST) {
		p.sink = list_span;
		p.ctx = &list;
	} else if (o->mode == MODE_SUMMARY) {
		p.sink = summary_span;
		p.ctx = summary = summary_new(&p);
	} else if (o->mode == MODE_CHART) {
		p.chart = chart_new();
	}
	in_init(&in, files, n_files);
	ok = fast_read(&in, &p, p.sink != fold_span, &fold.overflow) == 0 &&
	     !in_failed(&in) && p.too_many == 0;
	in_done(&in);
	print(o, &p, summary);
	overflow = fold.overflow || (summary && summary_overflow(summary));
	if (overflow)
		msg("a sum exceeds 64 bits and is shown as "
		    "18446744073709551615");
	pair_say_repairs(&p);
	summary_free(summary);
	chart_free(p.chart);
	pair_done(&p);
	return ok && !overflow ? EXIT_OK : EXIT_FAILED;
}
