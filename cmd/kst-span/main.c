/* SPDX-License-Identifier: ISC */
/* kst-span: event text to folded text by time, a listing, or a summary. */
#include <inttypes.h>
#include <getopt.h>
#include <stdbool.h>
#include <string.h>

#include "text/events.h"
#include "fast.h"
#include "base/in.h"
#include "base/fault.h"
#include "base/msg.h"
#include "base/opt.h"
#include "base/out.h"
#include "pair.h"
#include "sinks.h"

static const char help[] =
    "usage: kst-span [--fold | --calls | --list | --summary] [FILE ...]\n"
    "Pairs begins and ends of event text, kst-events(5), as spans.\n"
    "\n"
    "  --fold         self time in ns by stack, as folded text (default)\n"
    "  --calls        number of calls by stack, as folded text\n"
    "  --by track     with these: the track is the root of each stack\n"
    "  --list         a line a span: start, track, depth, duration, name,\n"
    "                 arguments, result\n"
    "  --summary      a line a name: count, errors, total, self, min, p50,\n"
    "                 p90, p99, max, in ns\n"
    "  --csv          with --summary: as comma-separated values\n"
    "  -h, --help     print this help\n"
    "  -V, --version  print the version\n";

enum mode { MODE_FOLD, MODE_CALLS, MODE_LIST, MODE_SUMMARY };

struct options {
	enum mode mode;
	bool by_track, csv;
};

static void
parse_options(struct options *o, int argc, char **argv)
{
	enum { FOLD = 256, CALLS, BY, LIST, SUMMARY, CSV };
	static const struct option longs[] = {{"fold", no_argument, NULL, FOLD},
	    {"calls", no_argument, NULL, CALLS},
	    {"by", required_argument, NULL, BY},
	    {"list", no_argument, NULL, LIST},
	    {"summary", no_argument, NULL, SUMMARY},
	    {"csv", no_argument, NULL, CSV}, {"help", no_argument, NULL, 'h'},
	    {"version", no_argument, NULL, 'V'}, {NULL, 0, NULL, 0}};
	int c;

	while ((c = getopt_long(argc, argv, "hV", longs, NULL)) != -1) {
		switch (c) {
		case FOLD:
		case CALLS:
			o->mode = c == FOLD ? MODE_FOLD : MODE_CALLS;
			break;
		case LIST:
		case SUMMARY:
			o->mode = c == LIST ? MODE_LIST : MODE_SUMMARY;
			break;
		case BY:
			if (strcmp(optarg, "track") != 0)
				msg_die(EXIT_USAGE, "--by: '%s' is not 'track'",
				    msg_str(optarg));
			o->by_track = true;
			break;
		case CSV:
			o->csv = true;
			break;
		case 'h':
			opt_help(help);
		case 'V':
			opt_version();
		default:
			opt_usage();
		}
	}
	if (o->by_track && o->mode != MODE_FOLD && o->mode != MODE_CALLS)
		msg_die(EXIT_USAGE, "--by track is for --fold and --calls");
	if (o->csv && o->mode != MODE_SUMMARY)
		msg_die(EXIT_USAGE, "--csv is for --summary");
}

/* One line that says what had to be repaired; nothing when all was well. */
static void
say_repairs(const struct pair *p)
{
	const struct {
		uint64_t n;
		const char *what;
	} kinds[] = {{p->open_at_end, "open at the end"},
	    {p->no_end, "without their end"},
	    {p->no_begin, "ends without begin"},
	    {p->backwards, "times that go backwards"},
	    {p->too_deep, "begins too deep"}, {p->lost, "records lost"}};
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (kinds[i].n)
			buf_printf(&b, "%s%" PRIu64 " %s", b.len ? ", " : "",
			    kinds[i].n, kinds[i].what);
	}
	if (b.len)
		msg("spans: %s", buf_str(&b));
	buf_done(&b);
}

/* With `fold`, plain lines take a short cut into its sums. */
static uint64_t
read_events(struct in *in, struct pair *p, struct fold *fold)
{
	struct fast *fast = fold ? fast_new(p) : NULL;
	struct fault bad = {"line that is no event", 0};
	struct event e;
	const char *line;
	size_t len;

	for (;;) {
		enum event_line kind;

		if (fast)
			fold->overflow |= fast_lines(fast, in);
		if (!in_next(in, &line, &len))
			break;
		kind = event_parse(line, len, &e);
		if (kind == EVENT_OK) {
			pair_event(p, &e);
			if (fast)
				fast_learn(fast, &e);
		} else if (kind == EVENT_BAD)
			fault_say(
			    &bad, in, "no event: '%s'", msg_text(line, len));
	}
	fast_free(fast);
	pair_end(p);
	return fault_sum(&bad, 1);
}

static int
run(const struct options *o, char **files, int n_files)
{
	struct pair p;
	struct in in;
	struct fold fold = {&p, false};
	struct summary *summary = NULL;
	bool ok, overflow;

	pair_init(&p);
	p.by_track = o->by_track;
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
	ok = read_events(&in, &p, p.sink == fold_span ? &fold : NULL) == 0 &&
	     !in_failed(&in);
	in_done(&in);
	if (summary)
		summary_print(summary, o->csv);
	else if (o->mode != MODE_LIST)
		fold_print(&p, o->mode == MODE_CALLS);
	overflow = fold.overflow || (summary && summary_overflow(summary));
	if (overflow)
		msg("a sum does not fit 64 bits; 18446744073709551615 stands "
		    "for it");
	say_repairs(&p);
	summary_free(summary);
	pair_done(&p);
	return ok && !overflow ? EXIT_OK : EXIT_FAILED;
}

int
main(int argc, char **argv)
{
	struct options o = {.mode = MODE_FOLD};
	int status;

	msg_init(argv[0]);
	parse_options(&o, argc, argv);
	status = run(&o, argv + optind, argc - optind);
	return out_close() == 0 ? status : EXIT_FAILED;
}
