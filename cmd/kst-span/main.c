/* SPDX-License-Identifier: ISC */
/* kst-span: event text to folded text by time, a listing, or a summary. */
#include <stdbool.h>
#include <string.h>

#include "text/events.h"
#include "text/signs.h"
#include "fast.h"
#include "base/in.h"
#include "base/fault.h"
#include "base/msg.h"
#include "base/opt.h"
#include "base/out.h"
#include "pair.h"
#include "sinks.h"

enum mode { MODE_FOLD, MODE_CALLS, MODE_LIST, MODE_SUMMARY };

struct options {
	enum mode mode;
	const char *by;
	bool csv, no_trailer;
};

static const struct opt rows[] = {
    {0, "fold", NULL, "self time in ns by stack, as folded text (the default)",
	OPT_SET(mode, MODE_FOLD)},
    {0, "calls", NULL, "number of calls by stack, as folded text",
	OPT_SET(mode, MODE_CALLS)},
    {0, "by", "WHAT", "with --fold and --calls: the root frame",
	OPT_WORD(by, "track")},
    {0, "list", NULL,
	"a line a span: start, track, depth, duration, name, arguments, result",
	OPT_SET(mode, MODE_LIST)},
    {0, "summary", NULL,
	"a line a name: count, errors, total, self, min, p50, p90, p99, max, "
	"in ns",
	OPT_SET(mode, MODE_SUMMARY)},
    {0, "csv", NULL, "with --summary: as comma-separated values",
	OPT_FLAG(csv)},
    {0, "no-trailer", NULL, "write no line that says what is counted",
	OPT_FLAG(no_trailer)},
    {0}};

static const struct opt_page page = {
    .synopsis = "[--fold | --calls | --list | --summary] [FILE ...]",
    .about = "Pairs begins and ends of event text, kst-events(5), as spans.",
    .rows = rows,
    .examples = "kst-uftrace -e kernel.elf | kst-span | kst-svg > fg.svg\n"
		"kst-osv console.log | kst-span --summary\n"};

/* The events of one file; returns whether it has any. */
static bool
read_file(struct in *in, struct pair *p, struct fast *fast, bool *overflow,
    struct fault *bad)
{
	unsigned file_no = in->file_no;
	bool any = false;
	struct event e;
	const char *line;
	size_t len;

	while (in_more(in, file_no)) {
		const char *at = in->p;
		enum event_line kind;

		if (fast) {
			*overflow |= fast_lines(fast, in);
			any |= in->p != at;
		}
		if (!in_more(in, file_no) || !in_next(in, &line, &len))
			break;
		kind = event_parse(line, len, &e);
		if (kind == EVENT_OK) {
			any = true;
			if (pair_event(p, &e) && fast)
				fast_learn(fast, &e);
		} else if (kind == EVENT_BAD) {
			fault_say(
			    bad, in, "not an event: '%s'", msg_text(line, len));
		}
	}
	return any;
}

/*
 * Plain lines take a short cut, but for a list, which needs all their texts.
 * Returns how many faults there were.
 */
static uint64_t
read_events(struct in *in, struct pair *p, bool *overflow)
{
	struct fast *fast =
	    p->keep_args ? NULL : fast_new(p, p->sink != fold_span);
	struct fault bad = {"line that is not an event", 0};
	struct signs begin;
	uint64_t none = 0;

	while (in_fill(in, 1) > 0) {
		signs_look(&begin, in);
		if (!read_file(in, p, fast, overflow, &bad)) {
			signs_say_none(&begin, "event");
			none++;
		}
	}
	fast_free(fast);
	pair_end(p);
	return fault_sum(&bad, 1) + none;
}

static int
run(const struct options *o, char **files, int n_files)
{
	struct pair p;
	struct in in;
	struct fold fold = {&p, false};
	struct summary *summary = NULL;
	bool ok, overflow, too_many;

	pair_init(&p);
	p.by_track = o->by != NULL;
	p.keep_args = o->mode == MODE_LIST;
	p.sink = fold_span;
	p.ctx = &fold;
	if (o->mode == MODE_LIST) {
		p.sink = list_span;
		p.ctx = &p;
	} else if (o->mode == MODE_SUMMARY) {
		p.sink = summary_span;
		p.ctx = summary = summary_new(&p);
	}
	in_init(&in, files, n_files);
	ok = read_events(&in, &p, &fold.overflow) == 0 && !in_failed(&in);
	in_done(&in);
	if (summary)
		summary_print(summary, o->csv);
	else if (o->mode != MODE_LIST)
		fold_print(&p, o->mode == MODE_CALLS);
	if (!o->no_trailer && p.sink == fold_span && p.tree.n > 1)
		out_printf(
		    "# kst unit=%s\n", o->mode == MODE_CALLS ? "calls" : "ns");
	overflow = fold.overflow || (summary && summary_overflow(summary));
	if (overflow)
		msg("a sum exceeds 64 bits and is shown as "
		    "18446744073709551615");
	pair_say_repairs(&p);
	too_many = p.too_many > 0;
	summary_free(summary);
	pair_done(&p);
	return ok && !overflow && !too_many ? EXIT_OK : EXIT_FAILED;
}

int
main(int argc, char **argv)
{
	struct options o = {.mode = MODE_FOLD};
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	if (o.by && o.mode != MODE_FOLD && o.mode != MODE_CALLS)
		opt_wrong("--by track is for --fold and --calls");
	if (o.csv && o.mode != MODE_SUMMARY)
		opt_wrong("--csv is for --summary");
	status = run(&o, argv + first, argc - first);
	return out_close() == 0 ? status : EXIT_SYSTEM;
}
