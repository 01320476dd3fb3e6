/* SPDX-License-Identifier: ISC */
/* kst-tail: what the slow calls of a function do that typical ones do not. */
#include "base/msg.h"
#include "calls.h"
#include "io/in.h"
#include "io/out.h"
#include "judge.h"
#include "pattern/pattern.h"
#include "opt/opt.h"
#include "report.h"
#include "rights/rights.h"
#include "span/want.h"

enum mode { MODE_FOLDED, MODE_TABLE, MODE_LIST };

struct options {
	enum mode mode;
	const char *of;
	struct slow slow;
	uint64_t most;
	bool has_most, no_trailer, running;
};

static const struct opt rows[] = {
    {0, "of", "PATTERN", "compare calls with this whole name", OPT_TEXT(of)},
    {0, "slow", "WHICH",
	"say which calls are slow: worst (default), worst:20, 1%, or '>2ms'",
	OPT_CALL(slow, slow_option)},
    {0, "running", NULL, "leave out time in which other threads ran",
	OPT_FLAG(running)},
    {0, "table", NULL, "print a line for each stack that differs",
	OPT_SET(mode, MODE_TABLE)},
    {0, "list", NULL, "print each slow call: start, track, length, name",
	OPT_SET(mode, MODE_LIST)},
    {'n', "lines", "N", "with --table and --list: print only N lines",
	OPT_NUMBER(most, 0, UINT64_MAX), OPT_GIVEN(has_most),
	.requires = "table list"},
    {0, "no-trailer", NULL, "leave out the trailer, the last line",
	OPT_FLAG(no_trailer), .conflicts = "table list"},
    {0}};

static const struct opt_page page = {
    .synopsis = "--of PATTERN [options] [FILE ...]",
    .about = "Compares the slow calls of a function with typical ones, in "
	     "event text, kst-events(5).",
    .rows = rows,
    .examples = "kst-tail --of sys_read events.txt > tail.folded\n"
		"kst-tail --of sys_read --slow worst:20 --list events.txt\n"};

/* The whole name has to match. */
static struct rx *
pattern(const char *of)
{
	struct buf whole = BUF_INIT, err = BUF_INIT;
	struct rx *rx = NULL;

	if (of == NULL)
		opt_wrong("--of is missing: which function's calls?");
	if (pattern_option(&rx, of, &err) != 0) /* tells the place in `of` */
		opt_wrong("--of: '%s' %s", msg_str(of), buf_str(&err));
	buf_printf(&whole, "\\A(?:%s)\\z", of);
	if (pattern_option(&rx, buf_str(&whole), &err) != 0)
		opt_wrong("--of: '%s' %s", msg_str(of), buf_str(&err));
	buf_done(&whole);
	buf_done(&err);
	return rx;
}

static void
print(const struct options *o, const struct calls *c, struct judged *j)
{
	judge(j, c);
	report_say(c, j);
	if (o->mode == MODE_TABLE)
		report_table(c, j, o->most);
	else if (o->mode == MODE_LIST)
		report_list(c, o->most);
	else
		report_folded(c, j, !o->no_trailer);
	judged_free(j);
}

static int
run(struct options *o, struct want *want, char **files, int n_files)
{
	struct calls calls;
	struct judged j;
	struct pair p;
	struct in in;
	bool ok;

	pair_init(&p);
	p.want = want;
	p.sink = calls_span;
	p.ctx = &calls;
	calls_init(&calls, &p, &o->slow);
	calls.running = o->running;
	in_init(&in, files, n_files);
	ok = pair_read(&in, &p) == 0 && !in_failed(&in) && p.too_many == 0;
	in_done(&in);
	calls_end(&calls, &o->slow);
	if (report_enough(&calls, o->of, &o->slow, ok))
		print(o, &calls, &j);
	else
		ok = false;
	pair_say_repairs(&p);
	calls_done(&calls);
	pair_done(&p);
	return ok ? EXIT_OK : EXIT_FAILED;
}

int
main(int argc, char **argv)
{
	struct options o = {.slow = {SLOW_NEAR, 10000}, .most = UINT64_MAX};
	struct want want = {0};
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	want.filter = pattern(o.of);
	rights_files(argv + first, argc - first);
	status = run(&o, &want, argv + first, argc - first);
	want_done(&want);
	return out_end(status);
}
